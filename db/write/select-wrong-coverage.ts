import type { Connection } from './connection.ts';

/** Coverage that is not what the samples of its slice say; null: there is none. */
export type WrongCoverage = {
  groupId: number;
  probeId: number;
  storedFirst: number | null;
  storedLast: number | null;
  first: number | null;
  last: number | null;
};

export async function selectWrongCoverage(
  connection: Connection,
  sliceId: number,
): Promise<WrongCoverage[]> {
  const { rows } = await connection.query<WrongCoverage>(
    `select group_id as "groupId", probe_id as "probeId",
       c.first_bucket::float8 as "storedFirst", c.last_bucket::float8 as "storedLast",
       s.first_bucket::float8 as first, s.last_bucket::float8 as last
     from (select group_id, probe_id, first_bucket, last_bucket from coverage where slice_id = $1) c
     full join (
       select group_id, probe_id, min(bucket) as first_bucket, max(bucket) as last_bucket
       from samples where slice_id = $1 group by group_id, probe_id
     ) s using (group_id, probe_id)
     where (c.first_bucket, c.last_bucket) is distinct from (s.first_bucket, s.last_bucket)
     order by group_id, probe_id`,
    [sliceId],
  );
  return rows;
}
