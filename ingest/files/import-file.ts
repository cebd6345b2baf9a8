import type { Connection } from '../../db/connection/connection.ts';
import { selectKeptSince } from '../../db/sql/archived-slices.ts';
import { insertAudit } from '../../db/sql/audit.ts';
import { insertImport } from '../../db/sql/imports.ts';
import type { AuditActor } from '../../domain/audit/audit-entry.ts';
import type { LostUnits } from '../../domain/exporters.ts';
import type { ImportFormat } from '../../domain/import-formats.ts';
import type { EpochSeconds } from '../../domain/time/interval.ts';
import { mergeSegments } from '../../store/merge/merge-context.ts';
import type { PortRule } from '../flows/flow.ts';
import { checkFlow, createFlowWriter } from '../flows/flow-writer.ts';
import type { GeoLookup } from '../flows/geo-lookup.ts';
import type { FlowParserOptions } from '../formats/flow-formats.ts';
import { createFlowLines } from '../formats/flow-lines.ts';
import { IngestError } from '../ingest-error.ts';
import { type BadLines, collectBadLines } from '../lines/bad-lines.ts';
import { jsonObject } from '../lines/json-line.ts';
import { type LineReaderOptions, readLines } from '../lines/read-lines.ts';
import { NONE_SKIPPED, type SkippedLines } from '../lines/skipped-lines.ts';
import { type ExporterLoss, FeedLosses } from '../losses/feed-losses.ts';
import { type ByteLineTaker, lineText, readByteLines } from '../samples/byte-lines.ts';
import { createSampleWriter } from '../samples/sample-writer.ts';
import { type ImportSession, runImport } from '../session/import-session.ts';
import { timeBounds } from '../time-bounds.ts';
import { type ContentPrint, ContentPrinter } from './content-print.ts';
import { refuseEmpty } from './empty-input.ts';
import { refuseForeign } from './foreign-content.ts';
import type { GrownLines } from './grown-lines.ts';
import { type ImportSource, untilAborted } from './import-source.ts';
import {
  asksForWays,
  type LookAhead,
  lookAhead,
  NOT_LOOKED,
  printerOf,
  refuseKnown,
} from './look-ahead.ts';
import { NothingTaken } from './nothing-taken.ts';
import { readContent } from './read-content.ts';
import { withRepeatable } from './spool-source.ts';

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
  /** What happens to content that was imported before: it is refused, unless it counts again. */
  readonly again?: boolean;
  /** Takes only the lines that a file has got since it was imported. */
  readonly grown?: boolean;
  /** Accepts an input from which nothing is counted even where that is likely a mistake. */
  readonly allowEmpty?: boolean;
  readonly skipBadLines?: boolean;
  /** The user for whom a server imports; left out: the user who runs this command. */
  readonly uploader?: Uploader;
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

/** Who uploads a file, and whether that may create the context. */
export type Uploader = AuditActor & { readonly mayCreate: boolean };

export type ImportReport = {
  readonly source: string;
  readonly context: string;
  readonly format: ImportFormat;
  /** Number of lines, without those that were imported before. */
  readonly lines: number;
  /** Of a file that may have grown: number of lines before them. */
  readonly knownLines: number | undefined;
  /** The line of which only the beginning counts, because it was imported before its end. */
  readonly cutLine: number | undefined;
  /** Number of flows or samples taken. */
  readonly records: number;
  /** From the start of the first bucket to the end of the last, in epoch seconds; null: none. */
  readonly from: EpochSeconds | null;
  readonly to: EpochSeconds | null;
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
 * cannot be taken and bad lines are not skipped, an `AlreadyImported` if the content, or its
 * beginning, was imported before, and a `NothingTaken` if nothing was counted and there were bad
 * lines. Also throws if nothing was counted and that is likely a mistake.
 */
export function importFile(options: ImportFileOptions): Promise<ImportReport> {
  const { source, format, signal, servicePort = 'registered' } = options;
  const ways = asksForWays(format, servicePort);
  if (!ways && !options.grown) {
    return importSource({ ...options, source: untilAborted(source, signal) });
  }
  const remedy = ways && !options.grown ? ', or give --service-port destination' : '';
  return withRepeatable(source, { signal, remedy }, (repeatable) =>
    importSource({ ...options, source: repeatable }),
  );
}

function importSource(options: ImportFileOptions): Promise<ImportReport> {
  const { source, format, signal } = options;
  return runImport(
    {
      databaseUrl: options.databaseUrl,
      source: source.name,
      context: options.context,
      engine: options.engine ?? 0,
      makesContext: format !== 'samples' && (options.uploader?.mayCreate ?? true),
      by: options.uploader,
      now: options.now,
      onWaiting: options.onWaiting,
      afterwards: (connection, contextId) => mergeDue(connection, contextId, options),
      signal,
      batchRows: options.batchRows,
    },
    async (session) => {
      const known = source.isRepeatable ? await lookAhead(session, options) : NOT_LOOKED;
      const { expected } = known;
      const { print, ...report } = await importContent(session, options, known);
      if (expected && !expected.digest.equals(print.digest)) {
        throw new IngestError(
          `${source.name}: it was changed while it was read: import it again, or ` +
            'with --grown if it is still being written',
        );
      }
      const { contextId, connection } = session;
      if (report.records === 0 && !report.knownLines) {
        if (report.badLines.count > 0) throw new NothingTaken(report);
        if (!options.allowEmpty) refuseEmpty(report);
        // Not recorded: it holds nothing that could be counted twice.
        return report;
      }
      await insertImport(connection, { contextId, ...print, source: source.name, format });
      await auditUpload(connection, options, report);
      return report;
    },
  );
}

/** Commands leave no row: `imports` lists what they import, and the operator knows who may run them. */
async function auditUpload(
  connection: Connection,
  { uploader: by, context, source, format }: ImportFileOptions,
  { records }: ImportReport,
): Promise<void> {
  if (!by) return;
  const detail = { file: source.name, format, records };
  await insertAudit(connection, [{ action: 'file uploaded', object: context, detail }], by);
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

async function importContent(
  session: ImportSession,
  options: ImportFileOptions,
  { isTwoWay, grown, expected }: LookAhead,
): Promise<ImportReport & { print: ContentPrint }> {
  const { format, context, signal, source } = options;
  // Of a pipe, nothing is known yet.
  const printer = expected ? new ContentPrinter(async () => []) : printerOf(session);
  const allBadLines = collectBadLines(source.name, options.skipBadLines ? 'skip' : 'stop');
  const badLines = grown?.badLines(allBadLines) ?? allBadLines;
  let bytes = 0;
  let records = 0;
  const portRule = isTwoWay ? 'destination' : (options.servicePort ?? 'registered');
  const losses = new FeedLosses();
  const onNumber = grown ? grown.ofNew(losses.note) : losses.note;
  const { read, skipped, finish } = await lineReader(
    session,
    { ...options, portRule, onNumber, lines: grown },
    () => {
      records += 1;
    },
  );
  const stored = refuseForeign(
    { source, format },
    readContent(source, (count) => {
      bytes += count;
    }),
  );
  const lines = await read({
    content: printed(grown?.content(stored) ?? stored, printer),
    badLines,
    onBlock: (lineCount) => {
      signal?.throwIfAborted();
      grown?.noteLines(lineCount);
      options.onProgress?.({ bytes, lines: lineCount, readings: session.writer.takenCount });
    },
  });
  if (expected === null && !options.again) await refuseKnown(session, options, printer);
  await session.writer.finish();
  await finish();
  losses.end();
  const keys = session.writer.keys.result();
  return {
    source: source.name,
    context,
    format,
    lines: lines - (grown?.knownLines ?? 0),
    knownLines: grown?.knownLines,
    cutLine: grown?.cutLine,
    records,
    from: session.writer.span?.from ?? null,
    to: session.writer.span?.to ?? null,
    readings: session.writer.rowCount,
    keys: keys.count,
    keysAreExact: keys.isExact,
    slices: session.slices.filledCount(),
    newSlices: session.slices.madeCount(),
    expired: await expiredOf(session),
    skipped: skipped(),
    badLines: badLines.result(),
    lost: losses.total(),
    exporters: losses.exporters(),
    twoWay: isTwoWay ?? undefined,
    peakMemoryBytes: process.resourceUsage().maxRSS * 1024,
    print: printer.print(),
  };
}

async function* printed(
  content: AsyncIterable<Buffer>,
  printer: Pick<ContentPrinter<never>, 'push'>,
): AsyncGenerator<Buffer> {
  for await (const block of content) {
    await printer.push(block);
    yield block;
  }
}

/** Call it once everything is written: the newest bucket of the import counts, too. */
async function expiredOf({
  connection,
  contextId,
  slices,
  retentionDays,
}: ImportSession): Promise<ExpiredSlices | null> {
  if (retentionDays === null) return null;
  const ended = slices.endedCount((await selectKeptSince(connection, contextId)) ?? 0);
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
  options: ImportFileOptions &
    Pick<FlowParserOptions, 'portRule' | 'onNumber'> & { readonly lines: GrownLines | null },
  onRecord: () => void,
): Promise<LineReader> {
  const { format, home = [], geo = null, lines } = options;
  const probe = options.probe ?? null;
  const bounds = timeBounds(options.now());
  if (format === 'samples') {
    const take = await createSampleWriter(session, { probe, bounds, onRecord });
    lines?.parsesWith(jsonObject);
    const takeNew: ByteLineTaker = (line) =>
      lines?.isNew(() => lineText(line)) ? take(line) : null;
    return {
      read: (from) => readByteLines({ ...from, take: lines ? takeNew : take }),
      skipped: () => NONE_SKIPPED,
      finish: async () => {},
    };
  }
  const { timeZone = 'UTC' } = options;
  const { add, finish } = await createFlowWriter(session, { home, probe, geo });
  const { take, end, skipped } = createFlowLines(
    { ...options, format, timeZone, only: lines?.parser },
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
