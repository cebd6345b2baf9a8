import { CopyReader } from '../../copy-reader.ts';
import { copyArray, copyBigintArray, copyInteger as integer } from '../../copy-text.ts';
import { isMissingTable } from '../../database-error.ts';
import {
  PAGE_TABLES,
  type PageTable,
  pagePartitionOf,
  pageTableOf,
  type SegmentToPlace,
} from '../../page-tables.ts';
import type { Copy, CopySource } from '../../session/copy-source.ts';
import type { TimeBound } from '../../session/read-session.ts';

/** The pages of a segment from `first` to `last`. */
export type PagesRead = SegmentToPlace & {
  readonly segmentId: number;
  readonly first: number;
  readonly last: number;
};

/** The bytes are a view of the buffer with all that was read. */
export type PageBytesRow = {
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
  bound?: TimeBound | null,
): Promise<PageBytesRow[]> {
  const { distributedPages } = source;
  const byTable = readsByTable(reads);
  if (!distributedPages) {
    const texts = byTable.map(({ table, own }) => selectText(table, own));
    return rowsOf(await source.copy(copyOf(texts.join(' union all ')), bound));
  }
  const rows: PageBytesRow[] = [];
  for (const { table, own } of byTable) {
    const copy = copyOf(selectDistributedText(table, own));
    const segmentIds = segmentIdsOf(own);
    try {
      rows.push(...rowsOf(await distributedPages.copy({ ...copy, segmentIds }, bound)));
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
