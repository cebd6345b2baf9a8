import type { Connection } from '../connection.ts';

/** When each slice of a context ends, epoch seconds, by its id. */
export async function selectSliceEnds(
  connection: Connection,
  contextId: number,
): Promise<Map<number, number>> {
  const { rows } = await connection.query<{ sliceId: number; endsAt: number }>(
    `select slice_id as "sliceId", ends_at::float8 as "endsAt" from slices where context_id = $1`,
    [contextId],
  );
  return new Map(rows.map(({ sliceId, endsAt }) => [sliceId, endsAt]));
}
