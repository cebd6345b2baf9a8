import { createHash } from 'node:crypto';
import { insertImport } from '../db/write/insert-import.ts';
import { selectImport } from '../db/write/select-import.ts';
import type { EpochSeconds } from '../domain/interval.ts';
import { keptSince } from '../domain/retention.ts';
import { type BadLines, collectBadLines } from './bad-lines.ts';
import { createFlowParser, FLOW_FORMATS } from './flow-formats.ts';
import { createFlowWriter } from './flow-writer.ts';
import type { GeoPlaces } from './geo-places.ts';
import { type ImportSession, runImport } from './import-session.ts';
import type { ImportSource } from './import-source.ts';
import { IngestError } from './ingest-error.ts';
import { NothingTaken } from './nothing-taken.ts';
import { contentDigest, readContent } from './read-content.ts';
import { type LineTaker, readLines } from './read-lines.ts';
import { createSampleWriter } from './sample-writer.ts';
import { timeBounds } from './time-bounds.ts';

export const IMPORT_FORMATS = ['samples', ...FLOW_FORMATS] as const;

export type ImportFormat = (typeof IMPORT_FORMATS)[number];

export type ImportProgress = {
  /** Bytes that were read, as they are stored. */
  readonly bytes: number;
  readonly lines: number;
  /** Rows of readings that were written so far. */
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
  /** Databases that say where the addresses of flows are. */
  readonly places?: GeoPlaces | null;
  /** The probe that flows are of, and samples that name none. */
  readonly probe?: string;
  readonly engine?: number;
  readonly again?: boolean;
  readonly skipBadLines?: boolean;
  readonly now: () => EpochSeconds;
  readonly onProgress?: (progress: ImportProgress) => void;
  readonly onWaiting?: () => void;
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
  readonly newKeys: number;
  readonly slices: number;
  readonly newSlices: number;
  /** What a running server drops again, at once; null: nothing. */
  readonly expired: ExpiredSlices | null;
  readonly badLines: BadLines;
  /** The most memory that this process has had at a time, from its start. */
  readonly peakMemoryBytes: number;
};

/** The slices of an import that are older than their context keeps them. */
export type ExpiredSlices = { readonly slices: number; readonly retentionDays: number };

/**
 * Imports one file: all of it, or nothing. Fails with an `IngestError` that names the line, when a
 * line cannot be taken and bad lines are not skipped, and when the content was imported before;
 * with a `NothingTaken` when all that it had were bad lines.
 */
export async function importFile(options: ImportFileOptions): Promise<ImportReport> {
  const { source, signal } = options;
  // Read once beforehand, content that was imported already is refused before any work is done.
  const expected = source.isRepeatable ? await contentDigest(source, signal) : null;
  return runImport(
    {
      databaseUrl: options.databaseUrl,
      source: source.name,
      context: options.context,
      engine: options.engine ?? 0,
      makesContext: options.format !== 'samples',
      onWaiting: options.onWaiting,
      signal,
      batchRows: options.batchRows,
    },
    async (session) => {
      if (expected) await refuseKnown(session, options, expected);
      const { digest, ...report } = await importContent(session, options);
      if (expected && !expected.equals(digest)) {
        throw new IngestError(`${source.name}: it was changed while it was read: import it again`);
      }
      if (!expected) await refuseKnown(session, options, digest);
      const { contextId, connection } = session;
      const { format } = options;
      if (report.records === 0) {
        if (report.badLines.count > 0) throw new NothingTaken(source.name, format, report.badLines);
        // Not remembered: there is nothing in it that could be counted twice.
        return report;
      }
      await insertImport(connection, { contextId, digest, source: source.name, format });
      return report;
    },
  );
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
  throw new IngestError(
    `${source.name}: its content is in context ${context} already, imported at ${when} ` +
      `from ${known.source}: give --again to count it again`,
  );
}

async function importContent(
  session: ImportSession,
  options: ImportFileOptions,
): Promise<ImportReport & { digest: Buffer }> {
  const { source, format, context, signal } = options;
  const hash = createHash('sha256');
  const badLines = collectBadLines(source.name, options.skipBadLines ? 'skip' : 'stop');
  let bytes = 0;
  let records = 0;
  const { take, finish } = await lineTaker(session, options, () => {
    records += 1;
  });
  const lines = await readLines({
    content: readContent(source, (count) => {
      bytes += count;
    }),
    badLines,
    take,
    onBlock: (lineCount, block) => {
      signal?.throwIfAborted();
      hash.update(block);
      options.onProgress?.({ bytes, lines: lineCount, readings: session.writer.rowCount() });
    },
  });
  await session.writer.finish();
  await finish();
  return {
    source: source.name,
    context,
    format,
    lines,
    records,
    readings: session.writer.rowCount(),
    newKeys: session.keyIds.madeCount(),
    slices: session.slices.filledCount(),
    newSlices: session.slices.madeCount(),
    expired: expiredOf(session, options.now()),
    badLines: badLines.result(),
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

/**
 * Takes the lines of a format; `finish` is for when all is written. `onRecord` is called for each line
 * but those without a record, as headers.
 */
async function lineTaker(
  session: ImportSession,
  options: ImportFileOptions,
  onRecord: () => void,
): Promise<{ take: LineTaker; finish: () => Promise<void> }> {
  const { format, home = [], places = null } = options;
  const probe = options.probe ?? null;
  const bounds = timeBounds(options.now());
  if (format === 'samples') {
    const take = await createSampleWriter(session, { probe, bounds, onRecord });
    return { take, finish: async () => {} };
  }
  const parse = createFlowParser(format, options);
  const { add, finish } = await createFlowWriter(session, { home, probe, bounds, places });
  const take: LineTaker = (line) => {
    const flow = parse(line);
    if (flow === null) return null;
    const due = add(flow);
    onRecord();
    return due;
  };
  return { take, finish };
}
