import { CopyReader } from '../../copy-reader.ts';
import type { CopySource } from '../../copy-source.ts';
import { copyArray, copyInteger as integer } from '../../copy-text.ts';
import {
  PAGE_TABLES,
  type PageTable,
  pagePartitionOf,
  pageTableOf,
  type SegmentToPlace,
} from '../../page-tables.ts';
import type { TimeBound } from '../../read-session.ts';

/** The pages of a segment from `first` to `last`. */
export type PagesRead = SegmentToPlace & {
  readonly segmentId: number;
  readonly first: number;
  readonly last: number;
};

/** The bytes are a view of all that was read. */
export type PageBytesRow = {
  readonly segmentId: number;
  readonly page: number;
  readonly bytes: Uint8Array;
};

/** All pages of all reads in one statement, each read one walk along a primary key. */
export async function selectPages(
  source: CopySource,
  reads: readonly PagesRead[],
  bound?: TimeBound | null,
): Promise<PageBytesRow[]> {
  const copy = { query: 'select-pages', text: copyText(reads) };
  const reader = new CopyReader(await source.copy(copy, bound));
  const rows: PageBytesRow[] = [];
  while (reader.next()) {
    rows.push({ segmentId: reader.integer(), page: reader.integer(), bytes: reader.bytes() });
  }
  return rows;
}

function copyText(reads: readonly PagesRead[]): string {
  const parts = PAGE_TABLES.flatMap((table) => {
    const own = reads.filter(({ level }) => pageTableOf(level) === table);
    return own.length === 0 ? [] : [selectText(table, own)];
  });
  return `copy (${parts.join(' union all ')}) to stdout (format binary)`;
}

/**
 * The lateral part is fenced by OFFSET 0, so that it is never turned into a scan of the table. The
 * slices are named for the planner, which then looks at no other partition, and locks none. Of the
 * generations of a slice only the one of a segment is looked into.
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

const valuesText = (read: PagesRead): string => {
  const { sliceId, segmentId, first, last } = read;
  const partition = pagePartitionOf(read);
  const generation = partition.table === 'open_segment_pages' ? partition.generation : 0;
  const place = `${integer(sliceId)},${integer(generation)},${integer(segmentId)}::bigint`;
  return `(${place},${integer(first)},${integer(last)})`;
};
