import { createHash } from 'node:crypto';
import type { Connection } from '../../db/connection/connection.ts';
import { insertImport } from '../../db/write/imports/insert-import.ts';
import { selectImport } from '../../db/write/imports/select-import.ts';
import { keptSince } from '../../domain/slices/retention.ts';
import type { EpochSeconds } from '../../domain/time/interval.ts';
import { mergeSegments } from '../../store/merge/merge-context.ts';
import type { PortRule } from '../flows/flow.ts';
import { createFlowWriter } from '../flows/flow-writer.ts';
import type { GeoPlaces } from '../flows/geo-places.ts';
import { createFlowParser, type FlowParserOptions } from '../formats/flow-formats.ts';
import { IngestError } from '../ingest-error.ts';
import { type BadLines, collectBadLines } from '../lines/bad-lines.ts';
import { type LineReaderOptions, type LineTaker, readLines } from '../lines/read-lines.ts';
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
  /** Bytes that were read, as they are stored. */
  readonly bytes: number;
  readonly lines: number;
  /** Readings that were taken so far. */
  readonly readings: number;
};

export type ImportFileOptions = {
  readonly databaseUrl: string;
  readonly context: string;
  readonly format: ImportFormat;
  readonly source: ImportSource;
  /** Home networks of a flow format; without any, the private networks. */
  readonly home?: readonly string[];
  /** Zone of the times of a format that writes local ones; without it, UTC. */
  readonly timeZone?: string;
  /** Which port flows count under that are told in one direction; without it, the service's. */
  readonly servicePort?: PortRule;
  /** Databases that say where the addresses of flows are. */
  readonly places?: GeoPlaces | null;
  /** The probe that flows are of, and samples that name none. */
  readonly probe?: string;
  readonly engine?: number;
  readonly again?: boolean;
  /** Takes an input without flows where that is likely a mistake. */
  readonly allowEmpty?: boolean;
  readonly skipBadLines?: boolean;
  readonly now: () => EpochSeconds;
  readonly onProgress?: (progress: ImportProgress) => void;
  readonly onWaiting?: () => void;
  /** Told why segments were left to the server to merge. */
  readonly onNotMerged?: (error: unknown) => void;
  readonly signal?: AbortSignal;
  readonly batchRows?: number;
};

export type ImportReport = {
  readonly source: string;
  readonly context: string;
  readonly format: ImportFormat;
  readonly lines: number;
  /** Flows or samples that were taken. */
  readonly records: number;
  /** Rows of readings that were written. */
  readonly readings: number;
  /** Distinct keys of the file, those of each group by themselves. */
  readonly keys: number;
  /** Of more than two million keys the number is an estimate. */
  readonly keysAreExact: boolean;
  readonly slices: number;
  readonly newSlices: number;
  /** What a running server drops again, at once; null: nothing. */
  readonly expired: ExpiredSlices | null;
  readonly badLines: BadLines;
  /** What exporters sent and no line tells of, and the exporters. */
  readonly lost: LostUnits;
  readonly exporters: readonly ExporterLoss[];
  /** Of nfdump: whether the flows tell both directions, as `nfdump -B` makes them. */
  readonly twoWay: boolean | undefined;
  /** The most memory that this process has had at a time, from its start. */
  readonly peakMemoryBytes: number;
};

/** The slices of an import that are older than their context keeps them. */
export type ExpiredSlices = { readonly slices: number; readonly retentionDays: number };

/**
 * Imports one file: all of it, or nothing. Fails with an `IngestError` that names the line, when a
 * line cannot be taken and bad lines are not skipped; with an `AlreadyImported` when the content was
 * imported before, with a `NothingTaken` when all that it had were bad lines. What has no line at all fails, too, where
 * that is likely a mistake.
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
        if (report.badLines.count > 0) throw new NothingTaken(source.name, format, report.badLines);
        if (!options.allowEmpty) refuseEmpty(report);
        // Not remembered: there is nothing in it that could be counted twice.
        return report;
      }
      await insertImport(connection, { contextId, digest, source: source.name, format });
      return report;
    },
  );
}

/** The import is done and stays: what cannot be merged now, the server merges. */
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

/** Nothing is counted twice, unless that is asked for. */
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
  const { read, finish } = await lineReader(session, { ...options, portRule, onNumber }, () => {
    records += 1;
  });
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

/** Reads content line by line; `finish` is for when all is written. */
type LineReader = {
  /** Gives how many lines there were. */
  readonly read: (from: Omit<LineReaderOptions, 'take'>) => Promise<number>;
  readonly finish: () => Promise<void>;
};

/** `onRecord` is called for each line that is taken but those without a record, as headers. */
async function lineReader(
  session: ImportSession,
  options: ImportFileOptions & Pick<FlowParserOptions, 'portRule' | 'onNumber'>,
  onRecord: () => void,
): Promise<LineReader> {
  const { format, home = [], places = null } = options;
  const probe = options.probe ?? null;
  const bounds = timeBounds(options.now());
  if (format === 'samples') {
    const take = await createSampleWriter(session, { probe, bounds, onRecord });
    return { read: (from) => readByteLines({ ...from, take }), finish: async () => {} };
  }
  const { timeZone = 'UTC', portRule, onNumber = () => {} } = options;
  const parse = createFlowParser(format, { timeZone, portRule, onNumber });
  const { add, finish } = await createFlowWriter(session, { home, probe, bounds, places });
  const take: LineTaker = (line) => {
    const flow = parse(line);
    if (flow === null) return null;
    const due = add(flow);
    onRecord();
    return due;
  };
  return { read: (from) => readLines({ ...from, take }), finish };
}
