import type { Command } from 'commander';
import { MEGABYTE } from '../../domain/byte-units.ts';
import { reasonOf } from '../../domain/text/reason-of.ts';
import { AlreadyImported } from '../../ingest/files/already-imported.ts';
import { type ImportReport, importFile } from '../../ingest/files/import-file.ts';
import { type ImportSource, stdinSource } from '../../ingest/files/import-source.ts';
import { NothingTaken } from '../../ingest/files/nothing-taken.ts';
import {
  type GeoDatabase,
  type GeoLookup,
  geoLookup,
  openGeoDatabases,
} from '../../ingest/flows/geo-lookup.ts';
import { IngestError } from '../../ingest/ingest-error.ts';
import type { BadLines } from '../../ingest/lines/bad-lines.ts';
import { type CommandDatabase, withDatabase } from '../database/run-with-database.ts';
import { asTyped } from '../invocation.ts';
import { openSources } from '../open-sources.ts';
import { count, counted } from '../output/counted.ts';
import { databaseFailure } from '../output/database-failure.ts';
import { losersText, lostText } from '../output/lost-text.ts';
import { showProgress } from '../output/progress.ts';
import { skippedPart } from '../output/skipped-part.ts';
import { UsageError } from '../usage-error.ts';
import { followSource } from './import-feed.ts';
import { addImportOptions, type ImportOptions, refuseMismatch } from './import-options.ts';

export function registerImport(program: Command): void {
  const command = program
    .command('import')
    .description('import data into a context: each file as a whole or not at all')
    .argument('<file...>', 'files to import, also gzipped; - is standard input');
  addImportOptions(command).action(runImports);
}

async function runImports(files: string[], options: ImportOptions): Promise<void> {
  refuseMismatch(options);
  const sources = await openSources(files);
  const databases = await openDatabases(options);
  const { format } = options;
  const endless = options.follow ? endlessSource(files) : null;
  await withDatabase(async (database) => {
    if (endless && format !== 'samples') {
      return followSource(database, endless, { ...options, format, databases });
    }
    const places = databases && geoLookup(databases, refuse);
    // Each file is imported on its own: if one fails, the files before it stay imported.
    for (const source of sources) {
      await importOne(database, source, { ...options, places }).catch((error: unknown) =>
        passOver(error, options),
      );
    }
  });
}

/**
 * Returns standard input, the only source that --follow takes. A named pipe would work too, but
 * reading it cannot be interrupted; with `- <pipe` it can.
 */
function endlessSource(files: readonly string[]): ImportSource {
  if (files.length === 1 && files[0] === '-') return stdinSource();
  throw new UsageError('--follow reads standard input without end: give - alone');
}

/**
 * Opens the databases given with --mmdb. An invalid one is a usage error, found before any work.
 */
export async function openDatabases({
  mmdb,
}: Pick<ImportOptions, 'mmdb'>): Promise<GeoDatabase[] | null> {
  if (!mmdb) return null;
  try {
    return await openGeoDatabases(mmdb);
  } catch (error) {
    throw error instanceof IngestError ? new UsageError(error.message) : error;
  }
}

function refuse(error: IngestError): never {
  throw error;
}

async function importOne(
  { url, signal, settings }: CommandDatabase,
  source: ImportSource,
  { json, ...options }: ImportOptions & { readonly places: GeoLookup | null },
): Promise<void> {
  const startedAt = performance.now();
  const progress = showProgress(source);
  const notes: string[] = [];
  const report = await importFile({
    timeZone: settings.timeZone,
    ...options,
    databaseUrl: url,
    source,
    signal,
    now: () => Math.floor(Date.now() / 1000),
    onProgress: progress.update,
    onWaiting: () => console.error(`waiting for another import into ${options.context} to end`),
    onNote: (note) => notes.push(note),
    onNotMerged: (error) => console.error(asTyped(notMerged(source.name, error))),
  })
    .finally(() => {
      progress.stop();
      for (const note of notes) console.error(asTyped(`${source.name}: ${note}`));
    })
    .catch((error: unknown) => {
      if (error instanceof NothingTaken) nameBadLines(source.name, error.badLines);
      throw databaseFailure(error, {
        undone: `${source.name}: nothing of it was imported`,
        unknown: `${source.name}: it is not known whether it was imported`,
        again: 'import it again (it is refused if it was imported)',
      });
    });
  const timed = timedReport(report, { startedAt, notes });
  nameBadLines(source.name, report.badLines);
  nameLosses(report);
  warnOfCutLine(report);
  warnOfRetention(report);
  console.log(json ? JSON.stringify(timed) : sentence(timed));
}

/** Describes a failed merge. The import itself is committed and stays. */
function notMerged(source: string, error: unknown): string {
  const reason = reasonOf(error);
  return `${source}: it is imported, but its segments could not be merged yet: ${reason}`;
}

/** Rethrows `error`, unless the file was already imported and an option allows that. */
function passOver(error: unknown, options: ImportOptions): void {
  const report = passedOver(error, options);
  if (report === null || !(error instanceof AlreadyImported)) throw error;
  const { kind, statement } = error;
  const said = kind === 'nothing-new' ? statement : `${statement}: skipped`;
  console.log(options.json ? JSON.stringify(report) : said);
}

/** Returns what `--json` prints of a file that options allow to pass over; null: they do not. */
export function passedOver(
  error: unknown,
  { ifNew, grown }: Pick<ImportOptions, 'ifNew' | 'grown'>,
): object | null {
  if (!(error instanceof AlreadyImported) || !(ifNew || grown)) return null;
  const { source, context, kind } = error;
  const what = kind === 'nothing-new' ? { nothingNew: true } : { alreadyImported: true };
  return { source, context, ...what };
}

function nameBadLines(source: string, { count: total, named }: BadLines): void {
  for (const { line, reason } of named) {
    console.error(asTyped(`${source}, line ${line} was skipped: ${reason}`));
  }
  const unnamed = total - named.length;
  if (unnamed > 0) console.error(`${source}: ${unnamed} more lines were skipped`);
}

/**
 * Reports sequence numbers missing from the lines: the collector never received what they count, or
 * dropped it.
 */
function nameLosses({ source, exporters }: ImportReport): void {
  if (exporters.length > 0) console.error(asTyped(`${source}: lost: ${losersText(exporters)}`));
}

/** Warns of a line that counts as it was before all of it was written. */
function warnOfCutLine({ source, cutLine }: ImportReport): void {
  if (cutLine === undefined) return;
  const warning =
    `${source}, line ${cutLine} was imported before all of it was written: it counts as it was ` +
    'then, and the rest of it is left out';
  console.error(asTyped(warning));
}

/** Warns of expired slices: a server drops them within a minute, and only its log says so. */
function warnOfRetention({ source, context, expired }: ImportReport): void {
  if (expired === null) return;
  const [are, them] = expired.slices === 1 ? ['is', 'it'] : ['are', 'them'];
  const warning =
    `${source}: ${counted(expired.slices, 'slice')} that it filled ${are} older than the ` +
    `${counted(expired.retentionDays, 'day')} that context ${context} keeps: ` +
    `a running server drops ${them}. To keep ${them}, ` +
    'declare more retention_days with `countergraph apply`';
  console.error(asTyped(warning));
}

type TimedReport = ImportReport & {
  /** What a user should know about the input. */
  readonly notes: readonly string[];
  readonly seconds: number;
  readonly readingsPerSecond: number;
};

type Timing = {
  /** On the clock of `performance.now()`. */
  readonly startedAt: number;
  readonly notes: readonly string[];
};

/** Returns what `--json` prints of a file that was imported just now. */
export function timedReport(report: ImportReport, { startedAt, notes }: Timing): TimedReport {
  const seconds = (performance.now() - startedAt) / 1000;
  const readingsPerSecond = Math.round(report.readings / seconds);
  return { ...report, notes, seconds, readingsPerSecond };
}

function sentence(report: TimedReport): string {
  const { source, lines, knownLines, readings, keys, keysAreExact, slices, newSlices, badLines } =
    report;
  const skipped = skippedPart({ skipped: report.skipped, badLines: badLines.count });
  const lost = lostText(report.lost);
  const missing = lost === null ? '' : `, ${lost} lost on the way`;
  return (
    `${source}: ${recordsOf(report)} ` +
    `from ${counted(lines, knownLines ? 'new line' : 'line')}${skipped}${missing}, ${counted(readings, 'reading')}, ` +
    `${keysAreExact ? '' : 'about '}${counted(keys, 'key')}, ${counted(slices, 'slice')} (${count(newSlices)} new), ` +
    `${report.seconds.toFixed(1)} s, ${count(report.readingsPerSecond)} readings/s, ` +
    `${count(Math.round(report.peakMemoryBytes / MEGABYTE))} MB of memory`
  );
}

/**
 * Describes what was imported. For nfdump it says whether the whole file is two-way, because that
 * decides how Apps counts it.
 */
function recordsOf({ format, records, twoWay }: ImportReport): string {
  if (format === 'samples') return counted(records, 'sample');
  return twoWay ? counted(records, 'two-way flow') : counted(records, 'flow');
}
