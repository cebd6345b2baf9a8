import { SEALED_LEVEL } from '../../../domain/segment-level.ts';
import { levelsIn, PAGE_TABLES, type PageTable } from '../../page-tables.ts';
import type { Connection } from '../connection.ts';

/** Pages that belong to no segment, or lie beyond the end of theirs. */
export type StrayPages = {
  sliceId: number;
  segmentId: number;
  pages: number;
  /** Whether the segment is alive. */
  isBeyond: boolean;
};

/**
 * Stray pages in the partitions of slices. Open pages whose segments were swept are none: they go
 * with their partition. Nor are sealed pages of a slice that has no sealed segment any more.
 */
export async function selectStrayPages(
  connection: Connection,
  sliceIds: readonly number[],
): Promise<StrayPages[]> {
  const strays: StrayPages[] = [];
  for (const table of PAGE_TABLES) {
    const { rows } = await connection.query<StrayPages>(strayText(table), [sliceIds]);
    strays.push(...rows);
  }
  return strays;
}

const strayText = (table: PageTable): string => `
  select p.slice_id as "sliceId", p.segment_id::float8 as "segmentId", count(*)::float8 as pages,
    s.segment_id is not null as "isBeyond"
  from ${table} p
  left join segments s on s.segment_id = p.segment_id and ${levelsIn(table)}
  where p.slice_id = any($1::int[]) and (
    s.died is null and p.page >= s.page_count
    or s.segment_id is null and ${hasSealed(table)})
  group by 1, 2, 4 order by 1, 2`;

const hasSealed = (table: PageTable): string =>
  table === 'sealed_segment_pages'
    ? `p.slice_id = any(array(select slice_id from segments
        where slice_id = any($1::int[]) and level = ${SEALED_LEVEL}))`
    : 'false';
