import type { ReadSession } from '../read-session.ts';

export type SliceSizeRow = { sliceId: number; bytes: string };

/** Bytes of the slices' samples with their indexes, measured now. No row for a detached slice. */
export const selectSliceSizes = (
  session: ReadSession,
  sliceIds: readonly number[],
): Promise<SliceSizeRow[]> =>
  session.read({
    query: 'select-slice-sizes',
    text: `
select slice_id as "sliceId", pg_total_relation_size(partition) as bytes
from unnest($1::int[]) as slice_id, to_regclass('samples_' || slice_id) as partition
where partition is not null`,
    values: [sliceIds],
  });
