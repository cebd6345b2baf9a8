import type { Connection } from '../../connection/connection.ts';

export type SliceTimes = {
  sliceId: number;
  engine: number;
  /** Epoch seconds, half open. */
  startsAt: number;
  endsAt: number;
  archived: boolean;
};

/**
 * Selects all slices of a context, including archived ones, oldest first, then by engine instance.
 */
export async function selectSliceTimes(
  connection: Connection,
  contextId: number,
): Promise<SliceTimes[]> {
  const { rows } = await connection.query<SliceTimes>(
    `select slice_id as "sliceId", engine::int as engine, starts_at::float8 as "startsAt",
       ends_at::float8 as "endsAt", archived
     from slices where context_id = $1 order by starts_at, engine`,
    [contextId],
  );
  return rows;
}
