import { SEALED_LEVEL } from '../../domain/slices/segment-level.ts';
import { CopyReader, copyInteger as integer } from '../binary-copy.ts';
import type { Connection } from '../connection/connection.ts';
import type { CopySource } from '../session/copy-source.ts';
import type { Deadline } from '../session/read-session.ts';
import type { NewSegmentRow } from './publish.ts';

/** A live segment. The directory is a view of the buffer with all that was read. */
export type SegmentRow = Omit<NewSegmentRow, 'sources'> & {
  /** The layout number at which the segment was added. */
  readonly addedAt: number;
  /** The segments that a roll-up was made of; null: a segment of readings. */
  readonly sources: readonly number[] | null;
};

export type ManifestRows = {
  readonly version: number;
  readonly layout: number;
  /** Whether `added` has all live segments, and not only those added since. */
  readonly isWhole: boolean;
  readonly added: readonly SegmentRow[];
  /** The segments that were live at the layout asked about, and no longer are. */
  readonly removed: readonly number[];
};

export type ManifestQuestion = {
  readonly contextId: number;
  /** The layout number of the known manifest; 0: none is known. */
  readonly since: number;
};

/**
 * Selects what was added to and removed from a context's manifest since a layout number, in one
 * statement; 0: everything. All live segments are also returned if the removals cannot be
 * determined: they were swept, or the number is from the future, because it was read from another
 * node or in a later snapshot. Null: no such context.
 */
export async function selectManifest(
  source: CopySource,
  question: ManifestQuestion,
  deadline?: Deadline | null,
): Promise<ManifestRows | null> {
  const text = copyText(question);
  const reader = new CopyReader(await source.copy({ query: 'select-manifest', text }, deadline));
  let numbers: Pick<ManifestRows, 'version' | 'layout' | 'isWhole'> | null = null;
  const added: SegmentRow[] = [];
  const removed: number[] = [];
  while (reader.next()) {
    const version = reader.integer();
    const layout = reader.integer();
    numbers = { version, layout, isWhole: reader.integer() === 1 };
    const what = reader.integer();
    // It is then the only row, and its other columns are null.
    if (what === NOTHING) break;
    const row = readRow(reader);
    if (what === ADDED) added.push(row);
    else removed.push(row.segmentId);
  }
  return numbers && { ...numbers, added, removed };
}

const NOTHING = 0;
const ADDED = 1;
const REMOVED = 2;

// In the order of readRow.
const COLUMNS = `segment_id, group_id, probe_id, slice_id, level, first_bucket, last_bucket,
  key_count, row_count, page_count, size_bytes, born, extract(epoch from imported_at)::bigint`;
const SOURCES = `array_to_string(sources, ' ')`;

const ADDED_ROW = `select ${ADDED} as what, ${COLUMNS} as imported_at, ${SOURCES} as sources,
  directory from segments`;

/** A context without changes has one row, with only the numbers. */
const copyText = ({ contextId, since }: ManifestQuestion): string => `copy (
  select v.version, v.layout, v.is_whole::int, coalesce(s.what, ${NOTHING}), s.segment_id,
    s.group_id, s.probe_id, s.slice_id, s.level, s.first_bucket, s.last_bucket, s.key_count,
    s.row_count, s.page_count, s.size_bytes, s.born, s.imported_at, s.sources, s.directory
  from (
    select version, layout, swept_to > ${integer(since)} or layout < ${integer(since)}
      or ${integer(since)} = 0 as is_whole
    from context_versions where context_id = ${integer(contextId)} offset 0
  ) v
  left join lateral (
    ${since === 0 ? liveText(contextId) : changesText(contextId, since)}
  ) s on true
) to stdout (format binary)`;

const liveText = (contextId: number): string =>
  `${ADDED_ROW} where context_id = ${integer(contextId)} and died is null`;

/**
 * The live segments or the changes. Each part has an index of its own, and is not run if its
 * condition on the numbers does not hold.
 */
const changesText = (contextId: number, since: number): string => `
    ${liveText(contextId)} and v.is_whole
    union all
    ${ADDED_ROW}
    where not v.is_whole and context_id = ${integer(contextId)} and born > ${integer(since)}
      and died is null
    union all
    select ${REMOVED}, ${COLUMNS}, null, null from segments
    where not v.is_whole and context_id = ${integer(contextId)} and died > ${integer(since)}
      and born <= ${integer(since)}`;

const readRow = (reader: CopyReader): SegmentRow => ({
  segmentId: reader.integer(),
  groupId: reader.integer(),
  probeId: reader.integer(),
  sliceId: reader.integer(),
  level: reader.integer(),
  firstBucket: reader.integer(),
  lastBucket: reader.integer(),
  keyCount: reader.integer(),
  rowCount: reader.integer(),
  pageCount: reader.integer(),
  sizeBytes: reader.integer(),
  addedAt: reader.integer(),
  importedAt: reader.integer(),
  sources: readSources(reader.bytes().toString('latin1')),
  directory: reader.bytes(),
});

const readSources = (text: string): number[] | null =>
  text === '' ? null : text.split(' ').map(Number);

/** A live segment below the sealed level. Times in epoch seconds. */
export type OpenSegmentRow = {
  segmentId: number;
  groupId: number;
  probeId: number;
  sliceId: number;
  level: number;
  firstBucket: number;
  lastBucket: number;
  sizeBytes: number;
  importedAt: number;
  /** When its slice ends; null: there is no such slice. */
  endsAt: number | null;
};

/**
 * Selects the live segments of a context that may be merged sooner or later, without their
 * directories.
 */
export async function selectOpenSegments(
  connection: Connection,
  contextId: number,
): Promise<OpenSegmentRow[]> {
  const { rows } = await connection.query<OpenSegmentRow>(
    `select s.segment_id::float8 as "segmentId", s.group_id as "groupId", s.probe_id as "probeId",
       s.slice_id as "sliceId", s.level::int as level, s.first_bucket::float8 as "firstBucket",
       s.last_bucket::float8 as "lastBucket", s.size_bytes::float8 as "sizeBytes",
       extract(epoch from s.imported_at)::float8 as "importedAt", l.ends_at::float8 as "endsAt"
     from segments s left join slices l using (slice_id)
     where s.context_id = $1 and s.died is null and s.level < ${SEALED_LEVEL}
     order by s.segment_id`,
    [contextId],
  );
  return rows;
}

/** A live segment of a slice, without its directory. */
export type SliceSegmentRow = Omit<NewSegmentRow, 'directory'>;

/** Selects the live segments of a slice, in the order of their ids. Times in epoch seconds. */
export async function selectSliceSegments(
  connection: Connection,
  sliceId: number,
): Promise<SliceSegmentRow[]> {
  const { rows } = await connection.query<SliceSegmentRow>(
    `select segment_id::float8 as "segmentId", group_id as "groupId", probe_id as "probeId",
       slice_id as "sliceId", level::int as level, first_bucket::float8 as "firstBucket",
       last_bucket::float8 as "lastBucket", key_count::float8 as "keyCount",
       row_count::float8 as "rowCount", page_count as "pageCount",
       size_bytes::float8 as "sizeBytes", extract(epoch from imported_at)::float8 as "importedAt"
     from segments where slice_id = $1 and died is null order by segment_id`,
    [sliceId],
  );
  return rows;
}

/** Selects the directory of a segment of the manifest. */
export async function selectDirectory(
  connection: Connection,
  segmentId: number,
): Promise<Uint8Array> {
  const { rows } = await connection.query<{ directory: Buffer }>(
    'select directory from segments where segment_id = $1',
    [segmentId],
  );
  const [row] = rows;
  if (!row) throw new Error(`segment ${segmentId} must be in the manifest`);
  return row.directory;
}

/** Epoch seconds, half open. */
export type SegmentSlice = {
  sliceId: number;
  engine: number;
  startsAt: number;
  endsAt: number;
  archived: boolean;
  /** Whether its readings are in an archive of ours. */
  hasArchive: boolean;
};

/** Selects all slices of a context by id, oldest first. */
export async function selectSegmentSlices(
  connection: Connection,
  contextId: number,
): Promise<Map<number, SegmentSlice>> {
  const { rows } = await connection.query<SegmentSlice>(
    `select slice_id as "sliceId", engine::int as engine, starts_at::float8 as "startsAt",
       ends_at::float8 as "endsAt", archived, archive_digest is not null as "hasArchive"
     from slices where context_id = $1 order by starts_at, engine`,
    [contextId],
  );
  return new Map(rows.map((row) => [row.sliceId, row]));
}

/** Totals of the live segments of readings of a context or slice. */
export type SegmentTotals = {
  segments: number;
  /** One per key and bucket of each segment. */
  rows: number;
  /** The size of their pages and directories. */
  bytes: number;
};

const SUMS = `count(*)::float8 as segments, coalesce(sum(row_count), 0)::float8 as rows,
  coalesce(sum(size_bytes), 0)::float8 as bytes`;

export async function selectSegmentTotals(
  connection: Connection,
  contextId: number,
): Promise<SegmentTotals> {
  const { rows } = await connection.query<SegmentTotals>(
    `select ${SUMS} from segments
     where context_id = $1 and died is null and sources is null`,
    [contextId],
  );
  return rows[0] ?? { segments: 0, rows: 0, bytes: 0 };
}

/** Selects the totals of the slices of a context that have live segments, by slice_id. */
export async function selectSliceTotals(
  connection: Connection,
  contextId: number,
): Promise<Map<number, SegmentTotals>> {
  const { rows } = await connection.query<SegmentTotals & { sliceId: number }>(
    `select slice_id as "sliceId", ${SUMS} from segments
     where context_id = $1 and died is null and sources is null group by slice_id`,
    [contextId],
  );
  return new Map(rows.map(({ sliceId, ...totals }) => [sliceId, totals]));
}

/** Selects those of the given segments that are dead or not there, in ascending order. */
export async function selectNotLive(
  connection: Connection,
  contextId: number,
  segmentIds: readonly number[],
): Promise<number[]> {
  const { rows } = await connection.query<{ segmentId: number }>(
    `select g.segment_id::float8 as "segmentId" from unnest($2::bigint[]) as g(segment_id)
     where not exists (
       select from segments s
       where s.context_id = $1 and s.segment_id = g.segment_id and s.died is null)
     order by g.segment_id`,
    [contextId, segmentIds],
  );
  return rows.map(({ segmentId }) => segmentId);
}
