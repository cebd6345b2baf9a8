import type { Connection } from '../../connection/connection.ts';

/** Coverage of an available slice that differs from its segments; null: there is none. */
export type WrongCoverage = {
  sliceId: number;
  groupId: number;
  probeId: number;
  storedFirst: number | null;
  storedLast: number | null;
  first: number | null;
  last: number | null;
};

export async function selectWrongCoverage(
  connection: Connection,
  contextId: number,
): Promise<WrongCoverage[]> {
  const { rows } = await connection.query<WrongCoverage>(
    `select slice_id as "sliceId", group_id as "groupId", probe_id as "probeId",
       c.first_bucket::float8 as "storedFirst", c.last_bucket::float8 as "storedLast",
       s.first_bucket::float8 as first, s.last_bucket::float8 as last
     from (
       select v.* from coverage v join slices l using (slice_id)
       where l.context_id = $1 and not l.archived
     ) c
     full join (
       select s.slice_id, s.group_id, s.probe_id, min(s.first_bucket) as first_bucket,
         max(s.last_bucket) as last_bucket
       from segments s join slices l using (slice_id)
       where s.context_id = $1 and s.died is null and not l.archived
       group by s.slice_id, s.group_id, s.probe_id
     ) s using (slice_id, group_id, probe_id)
     where (c.first_bucket, c.last_bucket) is distinct from (s.first_bucket, s.last_bucket)
     order by slice_id, group_id, probe_id`,
    [contextId],
  );
  return rows;
}
