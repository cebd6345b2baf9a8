import type { Connection } from './connection.ts';

/** Makes a slice's coverage anew from its samples, and gives what it covers. */
export async function replaceCoverage(
  connection: Connection,
  sliceId: number,
): Promise<{ groupId: number; probeId: number }[]> {
  const { rows } = await connection.query<{ groupId: number; probeId: number }>(
    `insert into coverage as c (slice_id, group_id, probe_id, first_bucket, last_bucket)
     select slice_id, group_id, probe_id, min(bucket), max(bucket)
     from samples where slice_id = $1 group by slice_id, group_id, probe_id
     on conflict (group_id, slice_id, probe_id) do update
     set first_bucket = excluded.first_bucket, last_bucket = excluded.last_bucket
     returning group_id as "groupId", probe_id as "probeId"`,
    [sliceId],
  );
  await connection.query(
    `delete from coverage c where c.slice_id = $1 and not exists (
       select from unnest($2::int[], $3::int[]) as kept(group_id, probe_id)
       where kept.group_id = c.group_id and kept.probe_id = c.probe_id)`,
    [sliceId, rows.map(({ groupId }) => groupId), rows.map(({ probeId }) => probeId)],
  );
  return rows;
}
