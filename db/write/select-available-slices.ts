import type { Connection } from './connection.ts';

/** A slice that is available: not archived. */
export type AvailableSlice = {
  sliceId: number;
  engine: number;
  startsAt: number;
  endsAt: number;
  packed: boolean;
};

/** All of a context, oldest first. */
export async function selectAvailableSlices(
  connection: Connection,
  contextId: number,
): Promise<AvailableSlice[]> {
  const { rows } = await connection.query<AvailableSlice>(
    `select slice_id as "sliceId", engine::int as engine, starts_at::float8 as "startsAt",
       ends_at::float8 as "endsAt", packed
     from slices where context_id = $1 and not archived
     order by starts_at, engine`,
    [contextId],
  );
  return rows;
}
