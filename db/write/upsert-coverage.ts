import type { Connection } from './connection.ts';

/** The first and last bucket with a reading of a group and probe in a slice. */
export type CoverageSpan = {
  sliceId: number;
  groupId: number;
  probeId: number;
  firstBucket: number;
  lastBucket: number;
};

/** Widens the coverage by these spans; there is at most one for each slice, group and probe. */
export async function upsertCoverage(
  connection: Connection,
  spans: readonly CoverageSpan[],
): Promise<void> {
  await connection.query(
    `insert into coverage as c (slice_id, group_id, probe_id, first_bucket, last_bucket)
     select * from unnest($1::int[], $2::int[], $3::int[], $4::bigint[], $5::bigint[])
     on conflict (group_id, slice_id, probe_id) do update
     set first_bucket = least(c.first_bucket, excluded.first_bucket),
       last_bucket = greatest(c.last_bucket, excluded.last_bucket)`,
    [
      spans.map(({ sliceId }) => sliceId),
      spans.map(({ groupId }) => groupId),
      spans.map(({ probeId }) => probeId),
      spans.map(({ firstBucket }) => firstBucket),
      spans.map(({ lastBucket }) => lastBucket),
    ],
  );
}
