import type { Connection } from '../../connection/connection.ts';

/** The first and last bucket with a reading of a group and probe in a slice. */
export type CoverageSpan = {
  sliceId: number;
  groupId: number;
  probeId: number;
  firstBucket: number;
  lastBucket: number;
  /** The newest bucket that is not ahead of the clock; null: all are. */
  presentBucket: number | null;
  /** Buckets ahead of the clock, the newest of each topper bucket. */
  aheadBuckets: readonly number[];
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
    `insert into coverage as c (slice_id, group_id, probe_id, first_bucket, last_bucket,
       committed_at, newest_at, present_bucket, ahead_buckets)
     select slice_id, group_id, probe_id, first_bucket, last_bucket, at, at, present_bucket,
       ahead_buckets::bigint[]
     from unnest($1::int[], $2::int[], $3::int[], $4::bigint[], $5::bigint[], $6::float8[],
         $7::bigint[], $8::text[]) as s(slice_id, group_id, probe_id, first_bucket, last_bucket,
         committed_at, present_bucket, ahead_buckets),
       coalesce(to_timestamp(s.committed_at), now()) as at
     on conflict (group_id, slice_id, probe_id) do update
     set first_bucket = least(c.first_bucket, excluded.first_bucket),
       last_bucket = greatest(c.last_bucket, excluded.last_bucket),
       committed_at = excluded.committed_at,
       newest_at = case when (excluded.present_bucket is not null,
           coalesce(excluded.present_bucket, excluded.last_bucket)) > (
           c.present_bucket is not null, coalesce(c.present_bucket, c.last_bucket))
         then excluded.newest_at else c.newest_at end,
       present_bucket = greatest(c.present_bucket, excluded.present_bucket),
       ahead_buckets = case when coalesce(c.ahead_buckets, excluded.ahead_buckets) is not null
         then ${AHEAD_BUCKETS} end`,
    [
      spans.map(({ sliceId }) => sliceId),
      spans.map(({ groupId }) => groupId),
      spans.map(({ probeId }) => probeId),
      spans.map(({ firstBucket }) => firstBucket),
      spans.map(({ lastBucket }) => lastBucket),
      spans.map(({ committedAt }) => committedAt ?? null),
      spans.map(({ presentBucket }) => presentBucket),
      spans.map(({ aheadBuckets }) =>
        aheadBuckets.length === 0 ? null : `{${aheadBuckets.join(',')}}`,
      ),
    ],
  );
}

/**
 * SQL: of the buckets that were ahead, those that still are, one for each topper bucket, and the
 * newest of the others.
 */
const AHEAD_BUCKETS = `(
  select array_agg(newest order by newest) from (
    select max(bucket) as newest
    from unnest(c.ahead_buckets || excluded.ahead_buckets) bucket, counter_groups g
    where g.group_id = c.group_id
    group by case when bucket > extract(epoch from now()) then bucket / g.topper_bucket_size end
  ) ahead)`;
