import { resolve } from 'node:path';
import { type Command, Option } from 'commander';
import { LIMITS } from '../../domain/limits.ts';
import type { Guid } from '../../domain/text/guid.ts';
import { reasonOf } from '../../domain/text/reason-of.ts';
import { MOMENT_FORM } from '../../domain/time/moment.ts';
import { type ExportReport, exportContext } from '../../export/export-context.ts';
import { type Output, OutputClosed, openFile, openStdout } from '../../export/output.ts';
import { EXPORT_FORMATS, type ExportFormat } from '../../export/write-readings.ts';
import { type CommandDatabase, withDatabase } from '../database/run-with-database.ts';
import { parseEngine, parseGroup, parseName, readMoment } from '../option-values.ts';
import { count, counted } from '../output/counted.ts';
import { showExport } from '../output/progress.ts';
import { sizeText } from '../output/slices-table.ts';
import { UsageError } from '../usage-error.ts';

type ExportCommandOptions = {
  context: string;
  group?: Guid[];
  from?: string;
  to?: string;
  format: ExportFormat;
  engine?: number;
  declaration?: string;
  json?: true;
};

export function registerExport(program: Command): void {
  program
    .command('export')
    .description('export the data of a context, as lines for import or as CSV')
    .argument(
      '[file]',
      'the file to write, gzipped if it ends in .gz; left out or -: standard output',
    )
    .requiredOption('--context <name>', 'the context to export', parseName)
    .addOption(
      new Option(
        '--group <guid>',
        'only this counter group; repeatable (default: all, including disabled ones)',
      ).argParser((text: string, before: Guid[] | undefined) => [
        ...(before ?? []),
        parseGroup(text),
      ]),
    )
    .option('--from <time>', `only buckets that begin at this time or later; ${MOMENT_FORM}`)
    .option('--to <time>', 'only buckets that begin before this time')
    .addOption(
      new Option('--format <format>', 'samples: lines for import --format samples')
        .choices(EXPORT_FORMATS)
        .default('samples' satisfies ExportFormat),
    )
    .option('--engine <n>', 'the engine instance to export (default: 0)', parseEngine)
    .option('--declaration <file>', 'also write a file from which apply creates the same context')
    .option('--json', 'print the result as JSON')
    .action(runExport);
}

async function runExport(file: string | undefined, options: ExportCommandOptions): Promise<void> {
  const window = windowOf(options);
  const outputs = await openOutputs(file, options);
  const { output, declaration } = outputs;
  try {
    const started = performance.now();
    const report = await withDatabase((database) =>
      exportFrom(database, { ...options, ...window, ...outputs }),
    );
    await output.keep();
    await declaration?.keep();
    tell(report, options, (performance.now() - started) / 1000);
  } catch (error) {
    if (error instanceof OutputClosed) return declaration?.keep();
    await output.discard();
    await declaration?.discard();
    throw error;
  }
}

/** Throws for an invalid time or an empty window. */
function windowOf(options: ExportCommandOptions) {
  const from = options.from === undefined ? undefined : readMoment('--from', options.from);
  const to = options.to === undefined ? undefined : readMoment('--to', options.to);
  if (from !== undefined && to !== undefined && to <= from) {
    throw new UsageError(
      `--to must be later than --from; got --from ${options.from} --to ${options.to}`,
    );
  }
  return { from, to };
}

/** Name of standard output in messages. */
const STDOUT = 'standard output';

type Outputs = { readonly output: Output; readonly declaration: Output | undefined };

/** Opens both outputs before any work, so that one that cannot be written is reported at once. */
async function openOutputs(
  file: string | undefined,
  { declaration }: ExportCommandOptions,
): Promise<Outputs> {
  if (declaration !== undefined && placeOf(declaration) === placeOf(file)) {
    throw new UsageError('the declaration and the readings must go to different files');
  }
  const output = await openOutput(file);
  try {
    const opened = declaration === undefined ? undefined : await openOutput(declaration, PRIVATE);
    return { output, declaration: opened };
  } catch (error) {
    await output.discard();
    throw error;
  }
}

const isStdout = (file: string | undefined): file is '-' | undefined =>
  file === undefined || file === '-';

const placeOf = (file: string | undefined): string | null =>
  isStdout(file) ? null : resolve(file);

/** The mode of a new declaration: addresses of sinks may hold passwords. */
const PRIVATE = 0o600;

async function openOutput(file: string | undefined, mode?: number): Promise<Output> {
  if (isStdout(file)) return openStdout();
  if (file === '') {
    throw new UsageError('cannot write to "": name a file; - is standard output');
  }
  try {
    return await openFile(file, mode);
  } catch (error) {
    const reason = reasonOf(error);
    throw new UsageError(`cannot write to ${file}: ${reason}`);
  }
}

type ExportWork = Omit<ExportCommandOptions, 'from' | 'to' | 'declaration'> &
  Outputs & { readonly from: number | undefined; readonly to: number | undefined };

async function exportFrom(
  { url, signal }: CommandDatabase,
  { group, engine = 0, ...work }: ExportWork,
): Promise<ExportReport> {
  const { output } = work;
  // No progress bar if the exported lines themselves go to the terminal.
  const isSeen = output.file === null && process.stdout.isTTY;
  const progress = isSeen ? null : showExport(output.file ?? STDOUT);
  return exportContext({
    ...work,
    databaseUrl: url,
    groups: group,
    engine,
    signal,
    onProgress: progress?.update,
  }).finally(() => progress?.stop());
}

/** Prints the report, on standard error if standard output carries the export. */
function tell(
  report: ExportReport,
  { json, declaration }: ExportCommandOptions,
  seconds: number,
): void {
  for (const line of remarks(report)) console.error(line);
  const line = json ? JSON.stringify({ ...report, seconds }) : sentence(report, seconds);
  const isStdoutTaken = report.file === null || declaration === '-';
  if (isStdoutTaken) console.error(line);
  else console.log(line);
}

/** Lists what the export leaves out, and what somebody who imports it should know. */
function remarks(report: ExportReport): string[] {
  const { derivedLabels, keysWithLongTexts, slices } = report;
  const lines = report.archivedSlices.map((name) => `${name} is archived: left out`);
  for (const [engine, number] of Object.entries(report.otherEngines)) {
    lines.push(
      `engine ${engine} has ${counted(number, 'slice')} for that time: --engine ${engine} exports them`,
    );
  }
  if (derivedLabels > 0) {
    lines.push(
      `${counted(derivedLabels, 'label')} came from DNS answers or MaxMind databases, which the ` +
        'lines do not say: an import treats them as given by a user',
    );
  }
  if (keysWithLongTexts > 0) {
    lines.push(
      `${counted(keysWithLongTexts, 'key')} had texts that no line of an import can hold: their ` +
        'labels, descriptions and attributes were left out',
    );
  }
  if (slices > LIMITS.importSlices) {
    lines.push(
      `an import fills at most ${counted(LIMITS.importSlices, 'slice')}, and the export has ` +
        `${count(slices)}: to import it, export it in parts, with --from and --to`,
    );
  }
  for (const name of report.leftOutNodes) {
    lines.push(
      `node ${name} is left out of the declaration, because its address may hold a password: declare ` +
        'it with url_env, or where it is needed',
    );
  }
  for (const name of report.sinksWithAddress) {
    lines.push(
      `sink ${name} is in the declaration with its address, which may hold a password: keep the ` +
        'file private, or declare the sink with url_env',
    );
  }
  return lines;
}

function sentence(report: ExportReport, seconds: number): string {
  const { file, lines, keys, slices, bytes, keysWithoutReadings } = report;
  const left =
    keysWithoutReadings > 0
      ? `, ${counted(keysWithoutReadings, 'key')} without readings in the export left out`
      : '';
  return (
    `${file ?? STDOUT}: ${counted(lines, 'line')} of ${counted(keys, 'key')}, ` +
    `${counted(slices, 'slice')}, ${sizeText(bytes)}, ${seconds.toFixed(1)} s${left}`
  );
}
