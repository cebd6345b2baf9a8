import type { ReadSession } from '../read-session.ts';

export type SliceSizeRow = { sliceId: number; bytes: string };

/**
 * Bytes of the slices' samples with their indexes, measured now, or of their archives; both for a
 * slice that was archived a moment ago, while older readers still look at its samples. No row where
 * neither is known.
 */
export const selectSliceSizes = (
  session: ReadSession,
  sliceIds: readonly number[],
): Promise<SliceSizeRow[]> =>
  session.read({
    query: 'select-slice-sizes',
    text: `
select s.slice_id as "sliceId",
  coalesce(pg_total_relation_size(partition), 0) + coalesce(s.archive_bytes, 0) as bytes
from slices s, to_regclass('samples_' || s.slice_id) as partition
where s.slice_id = any($1::int[]) and (partition is not null or s.archive_bytes is not null)`,
    values: [sliceIds],
  });
