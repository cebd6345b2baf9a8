import { pageTableOf } from '../../page-tables.ts';
import { copyRows, INT4, INT8, writeInt4, writeInt8 } from '../binary-copy.ts';
import type { Connection } from '../connection.ts';

/** Which segment pages belong to. The level says in which table they are. */
export type PagesPlace = {
  readonly segmentId: number;
  readonly sliceId: number;
  readonly level: number;
};

export type PageRow = { readonly number: number; readonly bytes: Uint8Array };

/** Adds pages of a segment, whose slice has a partition for them (ensurePagePartition). */
export const copyPages = (
  connection: Connection,
  place: PagesPlace,
  pages: readonly PageRow[],
): Promise<void> =>
  copyRows(
    connection,
    `${pageTableOf(place.level)} (slice_id, segment_id, page, bytes)`,
    pages.map((page) => encodePage(place, page)),
  );

const FIELDS = 4;
const FIXED_BYTES = 2 + FIELDS * 4 + INT4 + INT8 + INT4;

function encodePage({ sliceId, segmentId }: PagesPlace, { number, bytes }: PageRow): Buffer {
  const row = Buffer.allocUnsafe(FIXED_BYTES + bytes.length);
  const view = new DataView(row.buffer, row.byteOffset, row.byteLength);
  view.setInt16(0, FIELDS);
  let at = writeInt4(view, 2, sliceId);
  at = writeInt8(view, at, segmentId);
  at = writeInt4(view, at, number);
  view.setInt32(at, bytes.length);
  row.set(bytes, at + 4);
  return row;
}
