import { createHash } from 'node:crypto';
import type { Connection } from '../../db/connection/connection.ts';
import { insertImport } from '../../db/write/imports/insert-import.ts';
import { selectImport } from '../../db/write/imports/select-import.ts';
import { keptSince } from '../../domain/slices/retention.ts';
import type { EpochSeconds } from '../../domain/time/interval.ts';
import { mergeSegments } from '../../store/merge/merge-context.ts';
import type { PortRule } from '../flows/flow.ts';
import { checkFlow, createFlowWriter } from '../flows/flow-writer.ts';
import type { GeoLookup } from '../flows/geo-lookup.ts';
import type { FlowParserOptions } from '../formats/flow-formats.ts';
import { createFlowLines } from '../formats/flow-lines.ts';
import { IngestError } from '../ingest-error.ts';
import { type BadLines, collectBadLines } from '../lines/bad-lines.ts';
import { type LineReaderOptions, readLines } from '../lines/read-lines.ts';
import { NONE_SKIPPED, type SkippedLines } from '../lines/skipped-lines.ts';
import type { LostUnits } from '../losses/export-number.ts';
import { type ExporterLoss, FeedLosses } from '../losses/feed-losses.ts';
import { readByteLines } from '../samples/byte-lines.ts';
import { createSampleWriter } from '../samples/sample-writer.ts';
import { type ImportSession, runImport } from '../session/import-session.ts';
import { timeBounds } from '../time-bounds.ts';
import { AlreadyImported } from './already-imported.ts';
import { refuseEmpty } from './empty-input.ts';
import { refuseForeign } from './foreign-content.ts';
import type { ImportFormat } from './import-format.ts';
import type { ImportSource } from './import-source.ts';
import { type LookAhead, withLookAhead } from './look-ahead.ts';
import { NothingTaken } from './nothing-taken.ts';
import { readContent } from './read-content.ts';

export type ImportProgress = {
  /** Bytes read, as stored. */
  readonly bytes: number;
  readonly lines: number;
  /** Readings taken so far. */
  readonly readings: number;
};

export type ImportFileOptions = {
  readonly databaseUrl: string;
  readonly context: string;
  readonly format: ImportFormat;
  readonly source: ImportSource;
  /** Home networks of a flow format; by default the private networks. */
  readonly home?: readonly string[];
  /** Time zone of a format that writes local times; by default UTC. */
  readonly timeZone?: string;
  /** Which port one-way flows are counted under; by default the service's. */
  readonly servicePort?: PortRule;
  /** Databases that locate the addresses of flows. */
  readonly geo?: GeoLookup | null;
  /** The probe of flows, and of samples that name none. */
  readonly probe?: string;
  readonly engine?: number;
  readonly again?: boolean;
  /** Accepts an input from which nothing is counted even where that is likely a mistake. */
  readonly allowEmpty?: boolean;
  readonly skipBadLines?: boolean;
  readonly now: () => EpochSeconds;
  readonly onProgress?: (progress: ImportProgress) => void;
  /** Called with what a user should know about the input. */
  readonly onNote?: (note: string) => void;
  readonly onWaiting?: () => void;
  /** Called with the reason why segments were left to the server to merge. */
  readonly onNotMerged?: (error: unknown) => void;
  readonly signal?: AbortSignal;
  readonly batchRows?: number;
};

export type ImportReport = {
  readonly source: string;
  readonly context: string;
  readonly format: ImportFormat;
  readonly lines: number;
  /** Number of flows or samples taken. */
  readonly records: number;
  /** Number of rows of readings written. */
  readonly readings: number;
  /** Distinct keys of the file, counted for each group separately. */
  readonly keys: number;
  /** Above two million keys the number is an estimate. */
  readonly keysAreExact: boolean;
  readonly slices: number;
  readonly newSlices: number;
  /** What a running server drops again at once; null if nothing. */
  readonly expired: ExpiredSlices | null;
  /** Lines that could be read and are not counted, by reason. */
  readonly skipped: SkippedLines;
  readonly badLines: BadLines;
  /** What exporters sent but no line reports, and the exporters. */
  readonly lost: LostUnits;
  readonly exporters: readonly ExporterLoss[];
  /** For nfdump: whether the flows report both directions, as `nfdump -B` makes them. */
  readonly twoWay: boolean | undefined;
  /** Peak memory of this process since its start. */
  readonly peakMemoryBytes: number;
};

/** The slices of an import that are older than their context keeps them. */
type ExpiredSlices = { readonly slices: number; readonly retentionDays: number };

/**
 * Imports one file: all of it, or nothing. Throws an `IngestError` that names the line if a line
 * cannot be taken and bad lines are not skipped, an `AlreadyImported` if the content was imported
 * before, and a `NothingTaken` if nothing was counted and there were bad lines. Also throws if
 * nothing was counted and that is likely a mistake.
 */
export function importFile(options: ImportFileOptions): Promise<ImportReport> {
  const { source, format, signal, servicePort: portRule = 'registered' } = options;
  return withLookAhead({ source, format, portRule, signal }, (known) =>
    importKnown(options, known),
  );
}

async function importKnown(options: ImportFileOptions, known: LookAhead): Promise<ImportReport> {
  const { source, format, signal } = options;
  const { digest: expected } = known;
  return runImport(
    {
      databaseUrl: options.databaseUrl,
      source: source.name,
      context: options.context,
      engine: options.engine ?? 0,
      makesContext: format !== 'samples',
      now: options.now,
      onWaiting: options.onWaiting,
      afterwards: (connection, contextId) => mergeDue(connection, contextId, options),
      signal,
      batchRows: options.batchRows,
    },
    async (session) => {
      if (expected) await refuseKnown(session, options, expected);
      const { digest, ...report } = await importContent(session, options, known);
      if (expected && !expected.equals(digest)) {
        throw new IngestError(`${source.name}: it was changed while it was read: import it again`);
      }
      if (!expected) await refuseKnown(session, options, digest);
      const { contextId, connection } = session;
      if (report.records === 0) {
        if (report.badLines.count > 0) throw new NothingTaken(report);
        if (!options.allowEmpty) refuseEmpty(report);
        // Not recorded: it holds nothing that could be counted twice.
        return report;
      }
      await insertImport(connection, { contextId, digest, source: source.name, format });
      return report;
    },
  );
}

/**
 * Merges segments. The import is committed and stays; the server merges what cannot be merged now.
 */
async function mergeDue(
  connection: Connection,
  contextId: number,
  { now, signal, onNotMerged = () => {} }: ImportFileOptions,
): Promise<void> {
  try {
    await mergeSegments(connection, { contextId, now, signal });
  } catch (error) {
    onNotMerged(error);
  }
}

/** Throws if the content was imported before, so that nothing is counted twice unless requested. */
async function refuseKnown(
  { connection, contextId }: ImportSession,
  { again, context, source }: ImportFileOptions,
  digest: Buffer,
): Promise<void> {
  if (again) return;
  const known = await selectImport(connection, contextId, digest);
  if (!known) return;
  const when = known.importedAt.toISOString();
  throw new AlreadyImported(source.name, context, `imported at ${when} from ${known.source}`);
}

async function importContent(
  session: ImportSession,
  options: ImportFileOptions,
  known: LookAhead,
): Promise<ImportReport & { digest: Buffer }> {
  const { format, context, signal } = options;
  const { source, isTwoWay } = known;
  const hash = createHash('sha256');
  const badLines = collectBadLines(source.name, options.skipBadLines ? 'skip' : 'stop');
  let bytes = 0;
  let records = 0;
  const portRule = isTwoWay ? 'destination' : (options.servicePort ?? 'registered');
  const losses = new FeedLosses();
  const onNumber = losses.note;
  const { read, skipped, finish } = await lineReader(
    session,
    { ...options, portRule, onNumber },
    () => {
      records += 1;
    },
  );
  const lines = await read({
    content: refuseForeign(
      { source, format },
      readContent(source, (count) => {
        bytes += count;
      }),
    ),
    badLines,
    onBlock: (lineCount, block) => {
      signal?.throwIfAborted();
      hash.update(block);
      options.onProgress?.({ bytes, lines: lineCount, readings: session.writer.takenCount });
    },
  });
  await session.writer.finish();
  await finish();
  losses.end();
  const keys = session.writer.keys.result();
  return {
    source: source.name,
    context,
    format,
    lines,
    records,
    readings: session.writer.rowCount,
    keys: keys.count,
    keysAreExact: keys.isExact,
    slices: session.slices.filledCount(),
    newSlices: session.slices.madeCount(),
    expired: expiredOf(session, options.now()),
    skipped: skipped(),
    badLines: badLines.result(),
    lost: losses.total(),
    exporters: losses.exporters(),
    twoWay: isTwoWay ?? undefined,
    peakMemoryBytes: process.resourceUsage().maxRSS * 1024,
    digest: hash.digest(),
  };
}

function expiredOf(
  { slices, retentionDays }: ImportSession,
  now: EpochSeconds,
): ExpiredSlices | null {
  if (retentionDays === null) return null;
  const ended = slices.endedCount(keptSince(retentionDays, now));
  return ended > 0 ? { slices: ended, retentionDays } : null;
}

/** Reads content line by line. Call `finish` when everything is written. */
type LineReader = {
  /** Returns the number of lines. */
  readonly read: (from: Omit<LineReaderOptions, 'take'>) => Promise<number>;
  readonly skipped: () => SkippedLines;
  readonly finish: () => Promise<void>;
};

/** Calls `onRecord` for each line taken, except lines without a record, such as headers. */
async function lineReader(
  session: ImportSession,
  options: ImportFileOptions & Pick<FlowParserOptions, 'portRule' | 'onNumber'>,
  onRecord: () => void,
): Promise<LineReader> {
  const { format, home = [], geo = null } = options;
  const probe = options.probe ?? null;
  const bounds = timeBounds(options.now());
  if (format === 'samples') {
    const take = await createSampleWriter(session, { probe, bounds, onRecord });
    return {
      read: (from) => readByteLines({ ...from, take }),
      skipped: () => NONE_SKIPPED,
      finish: async () => {},
    };
  }
  const { timeZone = 'UTC' } = options;
  const { add, finish } = await createFlowWriter(session, { home, probe, geo });
  const { take, end, skipped } = createFlowLines(
    { ...options, format, timeZone },
    {
      check: (flow) => checkFlow(flow, bounds),
      take(flow) {
        onRecord();
        return add(flow);
      },
    },
  );
  return {
    async read(from) {
      const count = await readLines({ ...from, take });
      await end();
      return count;
    },
    skipped,
    finish,
  };
}
