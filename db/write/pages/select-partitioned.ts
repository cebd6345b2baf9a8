import type { Connection } from '../../connection/connection.ts';
import { hasPartition } from '../../page-tables.ts';

/** Selects those of these slices that have a partition for pages, attached or not. */
export async function selectPartitioned(
  connection: Connection,
  sliceIds: readonly number[],
): Promise<number[]> {
  const { rows } = await connection.query<{ sliceId: number }>(
    `select slice_id as "sliceId" from unnest($1::int[]) as slice_id
     where ${hasPartition('slice_id')}`,
    [sliceIds],
  );
  return rows.map(({ sliceId }) => sliceId);
}
