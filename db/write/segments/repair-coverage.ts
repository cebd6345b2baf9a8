import type { Connection } from '../../connection/connection.ts';
import type { WrongCoverage } from './select-wrong-coverage.ts';

/** Corrects coverage to match the segments. */
export async function repairCoverage(
  connection: Connection,
  wrong: readonly WrongCoverage[],
): Promise<void> {
  const right = wrong.filter(({ first }) => first !== null);
  const tooMany = wrong.filter(({ first }) => first === null);
  await connection.query(
    `insert into coverage (slice_id, group_id, probe_id, first_bucket, last_bucket, present_bucket)
     select s.*, case when s.last_bucket <= extract(epoch from now()) then s.last_bucket end
     from unnest($1::int[], $2::int[], $3::int[], $4::bigint[], $5::bigint[])
       as s(slice_id, group_id, probe_id, first_bucket, last_bucket)
     on conflict (group_id, slice_id, probe_id) do update
     set first_bucket = excluded.first_bucket, last_bucket = excluded.last_bucket,
       present_bucket = excluded.present_bucket, ahead_buckets = null`,
    [...placesOf(right), right.map(({ first }) => first), right.map(({ last }) => last)],
  );
  await connection.query(
    `delete from coverage c
     using unnest($1::int[], $2::int[], $3::int[]) as w(slice_id, group_id, probe_id)
     where c.slice_id = w.slice_id and c.group_id = w.group_id and c.probe_id = w.probe_id`,
    placesOf(tooMany),
  );
}

const placesOf = (rows: readonly WrongCoverage[]): number[][] => [
  rows.map(({ sliceId }) => sliceId),
  rows.map(({ groupId }) => groupId),
  rows.map(({ probeId }) => probeId),
];
