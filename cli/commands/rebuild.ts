import type { Command } from 'commander';
import { type RebuildReport, rebuildContext } from '../../store/rebuild/rebuild-context.ts';
import { withDatabase } from '../database/run-with-database.ts';
import { parseName } from '../option-values.ts';
import { counted } from '../output/counted.ts';
import { showBytes } from '../output/progress.ts';
import { sizeText } from '../output/slices-table.ts';

export function registerRebuild(program: Command): void {
  program
    .command('rebuild')
    .description('recompute all derived data from the keys and readings of each segment')
    .requiredOption('--context <name>', 'the context whose segments are rebuilt', parseName)
    .option('--json', 'print the result as JSON')
    .action(rebuild);
}

/** Runs the command. Fails if any segment could not be rebuilt. */
async function rebuild({ context, json }: { context: string; json?: true }): Promise<void> {
  const started = performance.now();
  const report = await withDatabase(async ({ url, signal }) => {
    const progress = showBytes('rewritten');
    return rebuildContext({
      databaseUrl: url,
      context,
      now: () => Math.floor(Date.now() / 1000),
      signal,
      onWaiting: () => console.error(`waiting for other work on ${context} to end`),
      onProgress: ({ bytes, of }) => progress.update(bytes, of),
    }).finally(progress.stop);
  });
  const seconds = (performance.now() - started) / 1000;
  if (json) console.log(JSON.stringify({ ...report, seconds }));
  else for (const line of linesOf(report, seconds)) console.log(line);
  if (report.damaged.length > 0) throw new Error(verdict(report));
}

function linesOf(report: RebuildReport, seconds: number): string[] {
  const { context, segments, samples, bytes, leftOver, coverage } = report;
  const lines = report.damaged.map(({ text }) => text);
  if (leftOver > 0) {
    lines.push(`taken out of use: ${counted(leftOver, 'segment')} of slices that are gone`);
  }
  if (coverage > 0) lines.push(`repaired: ${counted(coverage, 'row')} of coverage`);
  lines.push(
    `Context ${context} was rebuilt: ${counted(samples, 'sample')} in ` +
      `${counted(segments, 'segment')}, ${sizeText(bytes)}, ${seconds.toFixed(1)} s`,
  );
  return lines;
}

const verdict = ({ context, damaged }: RebuildReport): string =>
  `${counted(damaged.length, 'segment')} of context ${context} could not be rebuilt, as the ` +
  'readings themselves are damaged: restore the database from a backup, or drop the slices and ' +
  'import their files again';
