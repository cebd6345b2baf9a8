import type { Connection } from '../../connection/connection.ts';

/** The first and last bucket with a reading of a group and probe in a slice. */
export type CoverageSpan = {
  sliceId: number;
  groupId: number;
  probeId: number;
  firstBucket: number;
  lastBucket: number;
  /** When its readings were committed, epoch seconds; undefined: with this transaction. */
  committedAt?: number;
};

/**
 * Widens the coverage by these spans, at most one per slice, group and probe. Until the transaction
 * publishes (date-coverage.ts), its own time stands in for that of the commit.
 */
export async function upsertCoverage(
  connection: Connection,
  spans: readonly CoverageSpan[],
): Promise<void> {
  await connection.query(
    `insert into coverage as c
       (slice_id, group_id, probe_id, first_bucket, last_bucket, committed_at, newest_at)
     select slice_id, group_id, probe_id, first_bucket, last_bucket, at, at
     from unnest($1::int[], $2::int[], $3::int[], $4::bigint[], $5::bigint[], $6::float8[])
         as s(slice_id, group_id, probe_id, first_bucket, last_bucket, committed_at),
       coalesce(to_timestamp(s.committed_at), now()) as at
     on conflict (group_id, slice_id, probe_id) do update
     set first_bucket = least(c.first_bucket, excluded.first_bucket),
       last_bucket = greatest(c.last_bucket, excluded.last_bucket),
       committed_at = excluded.committed_at,
       newest_at = case when excluded.last_bucket > c.last_bucket
         then excluded.newest_at else c.newest_at end`,
    [
      spans.map(({ sliceId }) => sliceId),
      spans.map(({ groupId }) => groupId),
      spans.map(({ probeId }) => probeId),
      spans.map(({ firstBucket }) => firstBucket),
      spans.map(({ lastBucket }) => lastBucket),
      spans.map(({ committedAt }) => committedAt ?? null),
    ],
  );
}
