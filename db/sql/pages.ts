import { SEALED_LEVEL } from '../../domain/slices/segment-level.ts';
import {
  CopyReader,
  copyArray,
  copyBigintArray,
  copyRows,
  INT4,
  INT8,
  copyInteger as integer,
  writeInt4,
  writeInt8,
} from '../binary-copy.ts';
import { type Connection, pageConnectionOf } from '../connection/connection.ts';
import { isMissingTable } from '../database-error.ts';
import {
  levelsIn,
  PAGE_TABLES,
  type PagePartition,
  type PageTable,
  pagePartitionOf,
  pageTableOf,
  type SegmentToPlace,
} from '../page-tables.ts';
import type { Copy, CopySource } from '../session/copy-source.ts';
import type { Deadline } from '../session/read-session.ts';

/** The pages of a segment from `first` to `last`. */
export type PagesRead = SegmentToPlace & {
  readonly segmentId: number;
  readonly first: number;
  readonly last: number;
};

/** The bytes are a view of the buffer with all that was read. */
type PageBytesRow = {
  readonly segmentId: number;
  readonly page: number;
  readonly bytes: Uint8Array;
};

/**
 * Selects the pages of all reads in one statement, in which each read is one scan along a primary
 * key. For distributed pages, there is one statement per table, which Citus sends to the workers as
 * it is.
 */
export async function selectPages(
  source: CopySource,
  reads: readonly PagesRead[],
  deadline?: Deadline | null,
): Promise<PageBytesRow[]> {
  const { distributedPages } = source;
  const byTable = readsByTable(reads);
  if (!distributedPages) {
    const texts = byTable.map(({ table, own }) => selectText(table, own));
    return rowsOf(await source.copy(copyOf(texts.join(' union all ')), deadline));
  }
  const rows: PageBytesRow[] = [];
  for (const { table, own } of byTable) {
    const copy = copyOf(selectDistributedText(table, own));
    const segmentIds = segmentIdsOf(own);
    try {
      rows.push(...rowsOf(await distributedPages.copy({ ...copy, segmentIds }, deadline)));
    } catch (error) {
      // A shard was just moved: its pages are missing, and fetchPages reads them again.
      if (!isMissingTable(error, SHARD)) throw error;
    }
  }
  return rows;
}

/** Name of a table of pages, or of one of its partitions, on a worker. */
const SHARD = /_segment_pages_[0-9_]+/;

const copyOf = (select: string): Copy => ({
  query: 'select-pages',
  text: `copy (${select}) to stdout (format binary)`,
});

function rowsOf(copied: Buffer): PageBytesRow[] {
  const reader = new CopyReader(copied);
  const rows: PageBytesRow[] = [];
  while (reader.next()) {
    rows.push({ segmentId: reader.integer(), page: reader.integer(), bytes: reader.bytes() });
  }
  return rows;
}

type ReadsOfTable = { readonly table: PageTable; readonly own: readonly PagesRead[] };

const readsByTable = (reads: readonly PagesRead[]): ReadsOfTable[] =>
  PAGE_TABLES.map((table) => ({
    table,
    own: reads.filter(({ level }) => pageTableOf(level) === table),
  })).filter(({ own }) => own.length > 0);

const segmentIdsOf = (reads: readonly PagesRead[]): number[] => [
  ...new Set(reads.map(({ segmentId }) => segmentId)),
];

/**
 * OFFSET 0 fences the lateral part, so that the planner never turns it into a scan of the table.
 * The slices are named so that the planner reads and locks no other partition. Of the generations
 * of a slice, only that of a segment is read.
 */
const selectText = (table: PageTable, reads: readonly PagesRead[]): string => `
  select p.segment_id, p.page, p.bytes
  from (values ${reads.map(valuesText).join(',')})
    as r(slice_id, generation, segment_id, first, last)
  cross join lateral (
    select segment_id, page, bytes from ${table} t
    where t.slice_id = any(${copyArray([...new Set(reads.map(({ sliceId }) => sliceId))])})
      and t.slice_id = r.slice_id
      ${table === 'open_segment_pages' ? 'and t.generation = r.generation' : ''}
      and t.segment_id = r.segment_id and t.page between r.first and r.last
    offset 0
  ) p`;

/**
 * Has no fence, which Citus does not support. The segments are also named in a condition of their
 * own, so that the planner of Citus skips shards that have none of them.
 */
const selectDistributedText = (table: PageTable, reads: readonly PagesRead[]): string => `
  select t.segment_id, t.page, t.bytes
  from ${table} t join (values ${reads.map(valuesText).join(',')})
    as r(slice_id, generation, segment_id, first, last)
    on t.slice_id = r.slice_id and t.segment_id = r.segment_id
      ${table === 'open_segment_pages' ? 'and t.generation = r.generation' : ''}
      and t.page between r.first and r.last
  where t.slice_id = any(${copyArray([...new Set(reads.map(({ sliceId }) => sliceId))])})
    and t.segment_id = any(${copyBigintArray(segmentIdsOf(reads))})`;

const valuesText = (read: PagesRead): string => {
  const { sliceId, segmentId, first, last } = read;
  const partition = pagePartitionOf(read);
  const generation = partition.table === 'open_segment_pages' ? partition.generation : 0;
  const place = `${integer(sliceId)},${integer(generation)},${integer(segmentId)}::bigint`;
  return `(${place},${integer(first)},${integer(last)})`;
};

/** The segment that pages belong to. */
type PagesPlace = SegmentToPlace & { readonly segmentId: number };

type PageRow = { readonly number: number; readonly bytes: Uint8Array };

/**
 * Most pages of a COPY: half a megabyte. For up to 64 rows as large as its pages, PostgreSQL
 * extends a table by just what they need; for more, in steps of 64 pages, and what is left of the
 * last step stays empty: some 7 % of a table whose COPYs have 240 rows.
 */
export const PAGES_OF_COPY = 64;

/** Adds pages of a segment. Their partition must exist (ensurePagePartition). */
export async function copyPages(
  connection: Connection,
  place: PagesPlace,
  pages: readonly PageRow[],
): Promise<void> {
  const partition = pagePartitionOf(place);
  const columns = isOpen(partition)
    ? 'slice_id, generation, segment_id, page, bytes'
    : 'slice_id, segment_id, page, bytes';
  for (let from = 0; from < pages.length; from += PAGES_OF_COPY) {
    const part = pages.slice(from, from + PAGES_OF_COPY);
    await copyRows(
      connection,
      `${partition.table} (${columns})`,
      part.map((page) => encodePage({ partition, segmentId: place.segmentId }, page)),
    );
  }
}

type OpenPartition = Extract<PagePartition, { readonly table: 'open_segment_pages' }>;

const isOpen = (partition: PagePartition): partition is OpenPartition =>
  partition.table === 'open_segment_pages';

type PageTarget = { readonly partition: PagePartition; readonly segmentId: number };

/** Bytes of the number of fields, and of the last field's length. */
const FRAME_BYTES = 2 + 4;

function encodePage({ partition, segmentId }: PageTarget, { number, bytes }: PageRow): Buffer {
  const integers = isOpen(partition) ? 3 : 2;
  const fixed = FRAME_BYTES + integers * (4 + INT4) + (4 + INT8);
  const row = Buffer.allocUnsafe(fixed + bytes.length);
  const view = new DataView(row.buffer, row.byteOffset, row.byteLength);
  view.setInt16(0, integers + 2);
  let at = writeInt4(view, 2, partition.sliceId);
  if (isOpen(partition)) at = writeInt4(view, at, partition.generation);
  at = writeInt8(view, at, segmentId);
  at = writeInt4(view, at, number);
  view.setInt32(at, bytes.length);
  row.set(bytes, at + 4);
  return row;
}

/** A segment that is no longer in the manifest. */
type SweptSegment = { readonly segmentId: number; readonly sliceId: number };

/**
 * Removes the pages of sealed segments that are no longer in the manifest. A slice that has no
 * sealed segment at all keeps them: its partition will be dropped as a whole.
 */
export async function deleteSweptPages(
  connection: Connection,
  segments: readonly SweptSegment[],
): Promise<void> {
  const { rows } = await connection.query<{ sliceId: number }>(
    `select distinct slice_id as "sliceId" from segments
     where slice_id = any($1::int[]) and level = ${SEALED_LEVEL}`,
    [segments.map(({ sliceId }) => sliceId)],
  );
  const kept = new Set(rows.map(({ sliceId }) => sliceId));
  const swept = segments.filter(({ sliceId }) => kept.has(sliceId));
  if (swept.length === 0) return;
  await connection.query(
    `delete from sealed_segment_pages
     where slice_id = any($1::int[]) and segment_id = any($2::bigint[])`,
    [[...new Set(swept.map(({ sliceId }) => sliceId))], swept.map(({ segmentId }) => segmentId)],
  );
}

/** Pages that belong to no segment, or are beyond the end of theirs. */
type StrayPages = {
  sliceId: number;
  segmentId: number;
  pages: number;
  /** Whether the segment is alive. */
  isBeyond: boolean;
};

/**
 * Selects the stray pages in the partitions of slices. Open pages whose segments were swept do not
 * count: they go with their partition. Neither do sealed pages of a slice that no longer has a
 * sealed segment.
 *
 * The pages are read first, and then the manifest, on one connection: distributed pages have no
 * common snapshot, but the manifest is committed before they become visible.
 */
export async function selectStrayPages(
  connection: Connection,
  sliceIds: readonly number[],
): Promise<StrayPages[]> {
  const reader = await pageConnectionOf(connection);
  const strays: StrayPages[] = [];
  for (const table of PAGE_TABLES) {
    const stored = await selectStored(reader, table, sliceIds);
    const manifest = await selectManifest(reader, table, stored);
    const sealed = await selectSealedSlices(reader, sliceIds);
    for (const { last, ...segment } of stored) {
      const known = manifest.get(segment.segmentId);
      if (!known && table === 'sealed_segment_pages' && sealed.has(segment.sliceId)) {
        strays.push({ ...segment, isBeyond: false });
      } else if (known?.isAlive && last >= known.pageCount) {
        const pages = await countBeyond(reader, table, { ...segment, from: known.pageCount });
        strays.push({ ...segment, pages, isBeyond: true });
      }
    }
  }
  return strays;
}

/** last: the highest number of its pages. */
type StoredPages = Omit<StrayPages, 'isBeyond'> & { readonly last: number };

async function selectStored(
  connection: Connection,
  table: PageTable,
  sliceIds: readonly number[],
): Promise<StoredPages[]> {
  const { rows } = await connection.query<StoredPages>(
    `select slice_id as "sliceId", segment_id::float8 as "segmentId", count(*)::float8 as pages,
       max(page) as last
     from ${table} where slice_id = any($1::int[]) group by 1, 2 order by 1, 2`,
    [sliceIds],
  );
  return rows;
}

type ManifestRow = { segmentId: number; pageCount: number; isAlive: boolean };

async function selectManifest(
  connection: Connection,
  table: PageTable,
  stored: readonly StoredPages[],
): Promise<Map<number, ManifestRow>> {
  const { rows } = await connection.query<ManifestRow>(
    `select segment_id::float8 as "segmentId", page_count as "pageCount", died is null as "isAlive"
     from segments where segment_id = any($1::bigint[]) and ${levelsIn(table)}`,
    [stored.map(({ segmentId }) => segmentId)],
  );
  return new Map(rows.map((row) => [row.segmentId, row]));
}

async function selectSealedSlices(
  connection: Connection,
  sliceIds: readonly number[],
): Promise<ReadonlySet<number>> {
  const { rows } = await connection.query<{ sliceId: number }>(
    `select distinct slice_id as "sliceId" from segments
     where slice_id = any($1::int[]) and level = ${SEALED_LEVEL}`,
    [sliceIds],
  );
  return new Set(rows.map(({ sliceId }) => sliceId));
}

type PagesFrom = { readonly sliceId: number; readonly segmentId: number; readonly from: number };

async function countBeyond(
  connection: Connection,
  table: PageTable,
  { sliceId, segmentId, from }: PagesFrom,
): Promise<number> {
  const { rows } = await connection.query<{ pages: number }>(
    `select count(*)::float8 as pages from ${table}
     where slice_id = $1 and segment_id = $2 and page >= $3`,
    [sliceId, segmentId, from],
  );
  return rows[0]?.pages ?? 0;
}
