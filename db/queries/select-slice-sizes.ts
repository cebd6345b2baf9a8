import { type PartitionSize, pageBytesOf } from '../page-tables.ts';
import type { ReadSession } from '../session/read-session.ts';

export type SliceSizeRow = { sliceId: number; bytes: string };

/**
 * Selects the bytes of the slices' pages with their indexes, open and sealed, measured now, or the
 * bytes of their archives. For a slice that was archived a moment ago it is the sum of both, while
 * older readers still use its pages. No row if neither is known.
 */
export const selectSliceSizes = (
  session: Pick<ReadSession, 'read'>,
  sliceIds: readonly number[],
  sizeOf: PartitionSize,
): Promise<SliceSizeRow[]> =>
  session.read({
    query: 'select-slice-sizes',
    text: `
select s.slice_id as "sliceId", coalesce(pages.bytes, 0) + coalesce(s.archive_bytes, 0) as bytes
from slices s, lateral (select ${pageBytesOf('s.slice_id', sizeOf)} as bytes offset 0) pages
where s.slice_id = any($1::int[]) and (pages.bytes is not null or s.archive_bytes is not null)`,
    values: [sliceIds],
  });
