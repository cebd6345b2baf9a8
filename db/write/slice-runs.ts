import type { Connection } from './connection.ts';

/** What belongs to a slice of a context, in both tables of packed runs. */
const OF_SLICE = `group_id in (select group_id from counter_groups where context_id = $1)
  and slice_id = $2`;

/** Removes all runs of a slice, whatever they are. */
export async function deleteSliceRuns(
  connection: Connection,
  contextId: number,
  sliceId: number,
): Promise<void> {
  for (const table of ['topper_blocks', 'key_series']) {
    await connection.query(`delete from ${table} where ${OF_SLICE}`, [contextId, sliceId]);
  }
}

/** How many rows the slice has in both tables. */
export async function countSliceRuns(
  connection: Connection,
  contextId: number,
  sliceId: number,
): Promise<number> {
  const { rows } = await connection.query<{ count: number }>(
    `select ((select count(*) from topper_blocks where ${OF_SLICE})
       + (select count(*) from key_series where ${OF_SLICE}))::float8 as count`,
    [contextId, sliceId],
  );
  return rows[0]?.count ?? 0;
}

/**
 * Removes what is of no slice that is there: runs of slices that are gone, coarse blocks, and which
 * of these are whole. Runs of archived slices stay.
 */
export async function deleteRunsOfNoSlice(
  connection: Connection,
  contextId: number,
): Promise<void> {
  const groups = 'select group_id from counter_groups where context_id = $1';
  await connection.query(`delete from coarse_blocks where group_id in (${groups})`, [contextId]);
  for (const table of ['topper_blocks', 'key_series']) {
    await connection.query(
      `delete from ${table} where group_id in (${groups})
         and slice_id not in (select slice_id from slices where context_id = $1)`,
      [contextId],
    );
  }
}
