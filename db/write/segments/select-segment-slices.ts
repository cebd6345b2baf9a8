import type { Connection } from '../../connection/connection.ts';

/** Epoch seconds, half open. */
export type SegmentSlice = {
  sliceId: number;
  engine: number;
  startsAt: number;
  endsAt: number;
  archived: boolean;
  /** Whether its readings are in an archive of ours. */
  hasArchive: boolean;
};

/** Selects all slices of a context by id, oldest first. */
export async function selectSegmentSlices(
  connection: Connection,
  contextId: number,
): Promise<Map<number, SegmentSlice>> {
  const { rows } = await connection.query<SegmentSlice>(
    `select slice_id as "sliceId", engine::int as engine, starts_at::float8 as "startsAt",
       ends_at::float8 as "endsAt", archived, archive_digest is not null as "hasArchive"
     from slices where context_id = $1 order by starts_at, engine`,
    [contextId],
  );
  return new Map(rows.map((row) => [row.sliceId, row]));
}
