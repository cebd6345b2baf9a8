import { SEALED_LEVEL } from '../../../domain/slices/segment-level.ts';
import { type Connection, pageConnectionOf } from '../../connection/connection.ts';
import { levelsIn, PAGE_TABLES, type PageTable } from '../../page-tables.ts';

/** Pages that belong to no segment, or are beyond the end of theirs. */
export type StrayPages = {
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
