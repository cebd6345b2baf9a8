import type { Command } from 'commander';
import { type VerifyReport, verifyContext } from '../../store/check/verify-context.ts';
import { withDatabase } from '../database/run-with-database.ts';
import { parseName } from '../option-values.ts';
import { count, counted } from '../output/counted.ts';
import { showBytes } from '../output/progress.ts';
import { sizeText } from '../output/slices-table.ts';

export function registerVerify(program: Command): void {
  program
    .command('verify')
    .description('check all stored data and everything derived from it; status 1 if it differs')
    .requiredOption('--context <name>', 'the context to check', parseName)
    .option('--json', 'print the result as JSON')
    .action(verify);
}

/** Runs the command. Fails if there are differences; the last line on standard error says so. */
async function verify({ context, json }: { context: string; json?: true }): Promise<void> {
  const started = performance.now();
  const report = await withDatabase(async ({ url, signal }) => {
    const progress = showBytes('checked');
    return verifyContext({
      databaseUrl: url,
      context,
      signal,
      onProgress: ({ bytes, of }) => progress.update(bytes, of),
    }).finally(progress.stop);
  });
  const seconds = (performance.now() - started) / 1000;
  if (json) console.log(JSON.stringify({ ...report, seconds }));
  else printFindings(report);
  if (report.differenceCount > 0) throw new Error(verdict(report));
  if (!json) console.log(sentence(report, seconds));
}

function printFindings({ differences, differenceCount }: VerifyReport): void {
  for (const { text } of differences) console.log(text);
  const unnamed = differenceCount - differences.length;
  if (unnamed > 0) console.log(`${count(unnamed)} more differences are only counted`);
}

const verdict = ({ context, differenceCount }: VerifyReport): string =>
  `context ${context} has ${counted(differenceCount, 'difference')}: \`countergraph rebuild ` +
  `--context ${context}\` repairs what can be derived, and names what cannot`;

const sentence = (report: VerifyReport, seconds: number): string =>
  `Context ${report.context} is as it was written: ${counted(report.samples, 'sample')} in ` +
  `${counted(report.segments, 'segment')} of ${counted(report.slices, 'slice')}, ` +
  `${sizeText(report.bytes)}, were checked, ${seconds.toFixed(1)} s`;
