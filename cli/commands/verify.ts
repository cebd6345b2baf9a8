import type { Command } from 'commander';
import { type VerifyReport, verifyContext } from '../../packing/verify/verify-context.ts';
import { count, counted } from '../counted.ts';
import { showSteps } from '../progress.ts';
import { withDatabase } from '../run-with-database.ts';

export function registerVerify(program: Command): void {
  program
    .command('verify')
    .description('compare all that is derived with the stored samples; status 1 if it differs')
    .requiredOption('--context <name>', 'the context that is compared')
    .option('--json', 'print the result as JSON')
    .action(verify);
}

/** Differences end the command as failed work does, with the last line on standard error. */
async function verify({ context, json }: { context: string; json?: true }): Promise<void> {
  const started = performance.now();
  const report = await withDatabase(async ({ url, signal }) => {
    const progress = showSteps('slices');
    return verifyContext({
      ...{ databaseUrl: url, context, signal },
      onProgress: ({ slices, of }) => progress.update(slices, of),
    }).finally(progress.stop);
  });
  const seconds = (performance.now() - started) / 1000;
  if (json) console.log(JSON.stringify({ ...report, seconds }));
  else printFindings(report);
  if (report.differenceCount > 0) throw new Error(verdict(report));
  if (!json) console.log(sentence(report, seconds));
}

function printFindings({ differences, differenceCount, unpackedSlices }: VerifyReport): void {
  for (const { text } of differences) console.log(text);
  const unnamed = differenceCount - differences.length;
  if (unnamed > 0) console.log(`${count(unnamed)} more differences are only counted`);
  if (unpackedSlices > 0) {
    const are = unpackedSlices === 1 ? 'slice is' : 'slices are';
    console.log(`${count(unpackedSlices)} ${are} not packed yet: samples answer for them`);
  }
}

const verdict = ({ context, differenceCount }: VerifyReport): string =>
  `context ${context} has ${counted(differenceCount, 'difference')}: ` +
  `run \`countergraph rebuild --context ${context}\``;

const sentence = ({ context, slices, readings }: VerifyReport, seconds: number): string =>
  `Context ${context} is as its samples say: ${counted(readings, 'reading')} in ` +
  `${counted(slices, 'slice')} were compared, ${seconds.toFixed(1)} s`;
