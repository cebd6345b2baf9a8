import type { Command } from 'commander';
import { withArchiveSession } from '../../store/archive/archive-session.ts';
import { type CheckedArchives, verifyArchives } from '../../store/archive/verify-archives.ts';
import { Differences } from '../../store/check/differences.ts';
import { type VerifyReport, verifyContext } from '../../store/check/verify-context.ts';
import { withDatabase } from '../database/run-with-database.ts';
import { parseName } from '../option-values.ts';
import { count, counted } from '../output/counted.ts';
import { showBytes } from '../output/progress.ts';
import { sizeText } from '../output/slices-table.ts';

export function registerVerify(program: Command): void {
  program
    .command('verify')
    .description(
      'check all stored data, everything derived from it, and files of archives; status 1 if ' +
        'they differ',
    )
    .requiredOption('--context <name>', 'the context to check', parseName)
    .option('--json', 'print the result as JSON')
    .action(verify);
}

/** Runs the command. Fails if there are differences; the last line on standard error says so. */
async function verify({ context, json }: { context: string; json?: true }): Promise<void> {
  const started = performance.now();
  const report = await withDatabase((database) => verifyAll(database, context));
  const seconds = (performance.now() - started) / 1000;
  if (json) console.log(JSON.stringify({ ...report, seconds }));
  else printFindings(report);
  if (report.differenceCount > 0) throw new Error(verdict(report));
  if (!json) console.log(sentence(report, seconds));
}

type Report = VerifyReport & CheckedArchives;

async function verifyAll(
  { url: databaseUrl, signal }: { readonly url: string; readonly signal: AbortSignal },
  context: string,
): Promise<Report> {
  const stored = showBytes('checked');
  const report = await verifyContext({
    databaseUrl,
    context,
    signal,
    onProgress: ({ bytes, of }) => stored.update(bytes, of),
  }).finally(stored.stop);
  const files = showBytes('of archives checked');
  const differences = new Differences();
  const archives = await withArchiveSession({ databaseUrl, context, signal }, (session) =>
    verifyArchives(session, differences, ({ bytes, of }) => files.update(bytes, of)),
  ).finally(files.stop);
  return {
    ...report,
    ...archives,
    differences: [...report.differences, ...differences.kept],
    differenceCount: report.differenceCount + differences.count,
  };
}

function printFindings({ differences, differenceCount }: VerifyReport): void {
  for (const { text } of differences) console.log(text);
  const unnamed = differenceCount - differences.length;
  if (unnamed > 0) console.log(`${count(unnamed)} more differences are only counted`);
}

const verdict = ({ context, differenceCount, damagedArchives }: Report): string =>
  `context ${context} has ${counted(differenceCount, 'difference')}: ` +
  [
    ...(differenceCount > damagedArchives ? [rebuildAdvice(context)] : []),
    ...(damagedArchives > 0 ? ['put files of archives back from a copy'] : []),
  ].join('; ');

const rebuildAdvice = (context: string): string =>
  `\`countergraph rebuild --context ${context}\` repairs what can be derived, and names what cannot`;

const sentence = (report: Report, seconds: number): string =>
  `Context ${report.context} is as it was written: ${counted(report.samples, 'sample')} in ` +
  `${counted(report.segments, 'segment')} of ${counted(report.slices, 'slice')}, ` +
  `${sizeText(report.bytes)}, ${archivesText(report)}were checked, ${seconds.toFixed(1)} s`;

const archivesText = ({ archives, archivedBytes }: Report): string =>
  archives === 0 ? '' : `and ${counted(archives, 'archive')}, ${sizeText(archivedBytes)}, `;
