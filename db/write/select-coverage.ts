import type { Connection } from './connection.ts';

/** Where readings of a group and probe lie in a slice that is available. */
export type SliceCoverageRow = {
  groupId: number;
  probeId: number;
  sliceId: number;
  sliceStart: number;
  sliceEnd: number;
  packed: boolean;
  lastBucket: number;
};

export async function selectCoverage(
  connection: Connection,
  contextId: number,
): Promise<SliceCoverageRow[]> {
  const { rows } = await connection.query<SliceCoverageRow>(
    `select v.group_id as "groupId", v.probe_id as "probeId", v.slice_id as "sliceId",
       s.starts_at::float8 as "sliceStart", s.ends_at::float8 as "sliceEnd", s.packed,
       v.last_bucket::float8 as "lastBucket"
     from coverage v join slices s using (slice_id)
     where s.context_id = $1 and not s.archived
     order by v.group_id, v.probe_id, s.starts_at, v.slice_id`,
    [contextId],
  );
  return rows;
}
