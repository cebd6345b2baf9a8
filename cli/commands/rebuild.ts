import type { Command } from 'commander';
import { type RebuildReport, rebuildContext } from '../../packing/rebuild-context.ts';
import { counted } from '../counted.ts';
import { showSteps } from '../progress.ts';
import { withDatabase } from '../run-with-database.ts';

export function registerRebuild(program: Command): void {
  program
    .command('rebuild')
    .description('make all that is derived from the stored samples anew, a slice at a time')
    .requiredOption('--context <name>', 'the context whose slices are packed again')
    .option('--json', 'print the result as JSON')
    .action(rebuild);
}

async function rebuild({ context, json }: { context: string; json?: true }): Promise<void> {
  const started = performance.now();
  const report = await withDatabase(async ({ url, signal }) => {
    const progress = showSteps('slices');
    return rebuildContext({
      ...{ databaseUrl: url, context, signal },
      onWaiting: () => console.error(`waiting for an import into ${context} to end`),
      onProgress: ({ slices, of }) => progress.update(slices, of),
    }).finally(progress.stop);
  });
  const seconds = (performance.now() - started) / 1000;
  console.log(json ? JSON.stringify({ ...report, seconds }) : sentence(report, seconds));
}

function sentence({ context, slices, rows, coarseBlocks }: RebuildReport, seconds: number): string {
  return (
    `Context ${context} was rebuilt: ${counted(slices, 'slice')} in ${counted(rows, 'row')} of ` +
    `blocks and series, ${counted(coarseBlocks, 'block')} of a day and more, ${seconds.toFixed(1)} s`
  );
}
