import type { Command } from 'commander';
import { type CompactReport, compactContext } from '../../store/merge/compact-context.ts';
import { withDatabase } from '../database/run-with-database.ts';
import { parseName } from '../option-values.ts';
import { count, counted } from '../output/counted.ts';
import { reportRefused } from '../output/report-refused.ts';
import { sizeText } from '../output/slices-table.ts';

export function registerCompact(program: Command): void {
  program
    .command('compact')
    .description('merge segments now, as `serve` does in the background')
    .requiredOption('--context <name>', 'the context whose segments are merged', parseName)
    .option('--json', 'print the result as JSON')
    .action(compact);
}

/** Runs the command. Fails if any merge could not be done. */
async function compact({ context, json }: { context: string; json?: true }): Promise<void> {
  const started = performance.now();
  const report = await withDatabase(({ url, signal }) =>
    compactContext({
      databaseUrl: url,
      context,
      now: () => Math.floor(Date.now() / 1000),
      signal,
      onWaiting: () => console.error(`waiting for another process that merges ${context}`),
    }),
  );
  const seconds = (performance.now() - started) / 1000;
  reportRefused(report.refused);
  if (json) console.log(JSON.stringify({ ...report, seconds }));
  else for (const line of linesOf(report, seconds)) console.log(line);
  if (report.damaged.length > 0) throw new Error(verdict(report));
}

function linesOf(report: CompactReport, seconds: number): string[] {
  const { context, merges, rollUps, before, after, swept } = report;
  const lines = [...report.damaged];
  if (swept > 0) lines.push(`${counted(swept, 'segment')} replaced earlier were removed`);
  if (rollUps > 0)
    lines.push(`${counted(rollUps, 'roll-up')} ${rollUps === 1 ? 'was' : 'were'} made`);
  if (merges === 0) {
    const are = after.segments === 1 ? '1 segment is' : `${count(after.segments)} segments are`;
    lines.push(`There is nothing to merge in context ${context}: ${are} as few as can be.`);
    return lines;
  }
  lines.push(
    `Context ${context} was compacted: ${changeOf(report)}; ` +
      `it has ${counted(after.segments, 'segment')} of ${sizeText(after.bytes)} now, and had ` +
      `${count(before.segments)} of ${sizeText(before.bytes)}, ${seconds.toFixed(1)} s`,
  );
  return lines;
}

const verdict = ({ context, damaged }: CompactReport): string =>
  `${counted(damaged.length, 'merge')} could not be done, because segments are damaged: ` +
  `\`countergraph verify --context ${context}\` names all of them`;

/** Says what merging did. A segment whose slice is over is rewritten even if it is the only one. */
function changeOf({ merges, merged, before, after }: CompactReport): string {
  if (merged === merges) {
    return merged === 1
      ? '1 segment was rewritten on its own'
      : `${count(merged)} segments were rewritten, each on its own`;
  }
  const left = merged - (before.segments - after.segments);
  return `${counted(merged, 'segment')} became ${count(left)} in ${counted(merges, 'merge')}`;
}
