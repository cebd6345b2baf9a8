import { type Command, InvalidArgumentError, Option } from 'commander';
import { LIMITS } from '../../domain/limits.ts';
import { isTimeZone } from '../../domain/time-zone.ts';
import { DEFAULT_HOME, isNetwork } from '../../ingest/address-scope.ts';
import type { BadLines } from '../../ingest/bad-lines.ts';
import { type GeoPlaces, openGeoPlaces } from '../../ingest/geo-places.ts';
import {
  IMPORT_FORMATS,
  type ImportFormat,
  type ImportReport,
  importFile,
} from '../../ingest/import-file.ts';
import { type ImportSource, stdinSource } from '../../ingest/import-source.ts';
import { IngestError } from '../../ingest/ingest-error.ts';
import { NothingTaken } from '../../ingest/nothing-taken.ts';
import { isName, NAME_FORM } from '../../ingest/storable-text.ts';
import { count, counted } from '../counted.ts';
import { openSources } from '../open-sources.ts';
import { showProgress } from '../progress.ts';
import { type CommandDatabase, withDatabase } from '../run-with-database.ts';
import { UsageError } from '../usage-error.ts';
import { followSource } from './import-feed.ts';

type ImportOptions = {
  context: string;
  format: ImportFormat;
  home?: string[];
  timeZone?: string;
  mmdb?: string[];
  probe?: string;
  engine?: number;
  again?: true;
  follow?: true;
  lateness?: number;
  skipBadLines?: true;
  json?: true;
};

export function registerImport(program: Command): void {
  program
    .command('import')
    .description('load data into a context: each file as a whole or not at all')
    .argument('<file...>', 'files to import, .gz as they are; - is standard input')
    .requiredOption(
      '--context <name>',
      'the context; flow formats make it where it is not there',
      parseIdentifier,
    )
    .addOption(
      new Option('--format <format>', 'what the files are')
        .choices(IMPORT_FORMATS)
        .makeOptionMandatory(),
    )
    .addOption(
      new Option(
        '--home <cidr>',
        `a network that is home, for flow formats; repeatable (default: ${DEFAULT_HOME.join(', ')})`,
      ).argParser(collectNetworks),
    )
    .option(
      '--time-zone <name>',
      'the zone of the local times that nfdump writes (default: COUNTERGRAPH_TIME_ZONE)',
      parseTimeZone,
    )
    .addOption(
      new Option(
        '--mmdb <file>',
        'a database of countries or of autonomous systems (MaxMind format), for groups of them; repeatable',
      ).argParser((file: string, before: string[] | undefined) => [...(before ?? []), file]),
    )
    .option(
      '--probe <id>',
      'the probe that flows, and samples that name none, are of',
      parseIdentifier,
    )
    .option('--engine <n>', 'the engine instance whose slices are filled (default: 0)', parseEngine)
    .option('--follow', 'read flows from - without end, and commit them bucket by bucket')
    .option(
      '--lateness <seconds>',
      'with --follow: how long flows of a bucket that is over are waited for ' +
        `(default: ${LIMITS.feedLatenessSeconds})`,
      parseLateness,
    )
    .option('--again', 'import a file even if its content was imported before')
    .option('--skip-bad-lines', 'count and name lines that cannot be taken, instead of stopping')
    .option('--json', 'print the result of each file as a line of JSON')
    .action(runImports);
}

async function runImports(files: string[], options: ImportOptions): Promise<void> {
  refuseMismatch(options);
  const sources = await openSources(files);
  const places = await openPlaces(options);
  const { format } = options;
  const endless = options.follow ? endlessSource(files) : null;
  await withDatabase(async (database) => {
    if (endless && format !== 'samples') {
      return followSource(database, endless, { ...options, format, places });
    }
    // Each file is done for itself: those before one that fails stay.
    for (const source of sources) await importOne(database, source, { ...options, places });
  });
}

/** What means nothing for a format is not ignored: whoever gives it expects something of it. */
function refuseMismatch(options: ImportOptions): void {
  const { format, home, mmdb, timeZone, follow, lateness, again } = options;
  if (format === 'samples' && (home || mmdb)) {
    throw new UsageError(`${home ? '--home' : '--mmdb'} is for flow formats: leave it out`);
  }
  if (timeZone && format !== 'nfdump') {
    throw new UsageError('--time-zone is for nfdump: other formats write times with their zone');
  }
  if (follow && format === 'samples') {
    throw new UsageError('--follow is for flow formats: import samples file by file');
  }
  if (follow && again) {
    throw new UsageError('--again is for files: what has no end is not remembered as one');
  }
  if (lateness !== undefined && !follow) {
    throw new UsageError('--lateness is for --follow: a file is committed as a whole');
  }
}

/** A named pipe would do, but reading it cannot be broken off; `- <pipe` can. */
function endlessSource(files: readonly string[]): ImportSource {
  if (files.length === 1 && files[0] === '-') return stdinSource();
  throw new UsageError('--follow reads standard input without end: give - alone');
}

/** The databases that are named; one that is none is a mistake, found before any work. */
async function openPlaces({ mmdb }: ImportOptions): Promise<GeoPlaces | null> {
  if (!mmdb) return null;
  try {
    return await openGeoPlaces(mmdb);
  } catch (error) {
    throw error instanceof IngestError ? new UsageError(error.message) : error;
  }
}

async function importOne(
  { url, signal, settings }: CommandDatabase,
  source: ImportSource,
  { json, ...options }: ImportOptions & { readonly places: GeoPlaces | null },
): Promise<void> {
  const started = performance.now();
  const progress = showProgress(source);
  const report = await importFile({
    timeZone: settings.timeZone,
    ...options,
    databaseUrl: url,
    source,
    signal,
    now: () => Math.floor(Date.now() / 1000),
    onProgress: progress.update,
    onWaiting: () => console.error(`waiting for another import into ${options.context} to end`),
  })
    .finally(progress.stop)
    .catch((error: unknown) => {
      if (error instanceof NothingTaken) nameBadLines(source.name, error.badLines);
      throw error;
    });
  const seconds = (performance.now() - started) / 1000;
  nameBadLines(source.name, report.badLines);
  warnOfRetention(report);
  const readingsPerSecond = Math.round(report.readings / seconds);
  const timed = { ...report, seconds, readingsPerSecond };
  console.log(json ? JSON.stringify(timed) : sentence(timed));
}

function nameBadLines(source: string, { count: total, named }: BadLines): void {
  for (const { line, reason } of named) {
    console.error(`${source}, line ${line} was skipped: ${reason}`);
  }
  const unnamed = total - named.length;
  if (unnamed > 0) console.error(`${source}: ${unnamed} more lines were skipped`);
}

/** They are dropped within a minute, and only the server's log says so. */
function warnOfRetention({ source, context, expired }: ImportReport): void {
  if (expired === null) return;
  const [are, them] = expired.slices === 1 ? ['is', 'it'] : ['are', 'them'];
  console.error(
    `${source}: ${counted(expired.slices, 'slice')} that it filled ${are} older than the ` +
      `${counted(expired.retentionDays, 'day')} that context ${context} keeps: ` +
      `a running server drops ${them}. To keep ${them}, ` +
      'declare more retention_days with `countergraph apply`',
  );
}

const MEGABYTE = 1e6;

type TimedReport = ImportReport & {
  readonly seconds: number;
  readonly readingsPerSecond: number;
};

function sentence(report: TimedReport): string {
  const { source, format, lines, records, readings, newKeys, slices, newSlices, badLines } = report;
  const skipped = badLines.count > 0 ? `, ${counted(badLines.count, 'bad line')} skipped` : '';
  return (
    `${source}: ${counted(records, format === 'samples' ? 'sample' : 'flow')} ` +
    `from ${counted(lines, 'line')}${skipped}, ${counted(readings, 'reading')}, ` +
    `${counted(newKeys, 'new key')}, ${counted(slices, 'slice')} (${count(newSlices)} new), ` +
    `${report.seconds.toFixed(1)} s, ${count(report.readingsPerSecond)} readings/s, ` +
    `${count(Math.round(report.peakMemoryBytes / MEGABYTE))} MB of memory`
  );
}

function collectNetworks(text: string, before: string[] | undefined): string[] {
  if (isNetwork(text)) return [...(before ?? []), text];
  throw new InvalidArgumentError('It must be a network in CIDR form or an address.');
}

function parseIdentifier(text: string): string {
  if (isName(text)) return text;
  throw new InvalidArgumentError(`It must be ${NAME_FORM}.`);
}

function parseLateness(text: string): number {
  const max = LIMITS.feedLatenessCeilingSeconds;
  if (/^\d{1,6}$/.test(text) && Number(text) <= max) return Number(text);
  throw new InvalidArgumentError(`It must be an integer from 0 to ${max}.`);
}

function parseTimeZone(text: string): string {
  if (isTimeZone(text)) return text;
  throw new InvalidArgumentError('It must be an IANA time zone such as Europe/Berlin.');
}

const MAX_ENGINE = 32_767;

function parseEngine(text: string): number {
  if (/^\d{1,5}$/.test(text) && Number(text) <= MAX_ENGINE) return Number(text);
  throw new InvalidArgumentError(`It must be an integer from 0 to ${MAX_ENGINE}.`);
}
