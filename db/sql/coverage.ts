import type { Connection } from '../connection/connection.ts';

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

type DatedSlices = {
  readonly sliceIds: readonly number[];
  /** Now, in epoch seconds. */
  readonly at: number;
};

/**
 * Records that the coverage widened by this transaction is committed now. An import may have begun
 * long ago, and alerts depend on when its readings arrived. A clock that is ahead must not hide
 * that none arrive any more.
 */
export const dateCoverage = (connection: Connection, { sliceIds, at }: DatedSlices) =>
  connection.query(
    `update coverage set committed_at = committed.at,
       newest_at = case newest_at when now() then committed.at else newest_at end
     from (select least(to_timestamp($2), clock_timestamp()) as at) committed
     where slice_id = any($1::int[]) and committed_at = now()`,
    [sliceIds, at],
  );

/** Coverage of an available slice that differs from its segments; null: there is none. */
type WrongCoverage = {
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
