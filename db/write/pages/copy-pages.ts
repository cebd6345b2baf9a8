import type { Connection } from '../../connection/connection.ts';
import { type PagePartition, pagePartitionOf, type SegmentToPlace } from '../../page-tables.ts';
import { copyRows, INT4, INT8, writeInt4, writeInt8 } from '../binary-copy.ts';

/** The segment that pages belong to. */
export type PagesPlace = SegmentToPlace & { readonly segmentId: number };

export type PageRow = { readonly number: number; readonly bytes: Uint8Array };

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
