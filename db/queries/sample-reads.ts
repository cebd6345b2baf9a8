import type { Interval } from '../../domain/interval.ts';
import type { Fold } from '../../domain/meter-type.ts';

/**
 * What to read of `samples`: one meter of one group over one interval, of one probe or (null) of
 * all together. slices: those the interval meets, looked up before, so that pruning is exact.
 */
export type SampleRead = {
  groupId: number;
  slot: number;
  fold: Fold;
  probeId: number | null;
  interval: Interval;
  sliceIds: readonly number[];
};

/**
 * The reads as parallel arrays $1 … $9, one element for each read and slice, and $9 with all slices
 * once: named in the query they let PostgreSQL leave the other partitions out when it plans.
 */
export function sampleReadValues(reads: readonly SampleRead[]): unknown[] {
  const flat = reads.flatMap((read, index) =>
    read.sliceIds.map((sliceId) => ({ read, index, sliceId })),
  );
  return [
    flat.map(({ index }) => index),
    flat.map(({ sliceId }) => sliceId),
    flat.map(({ read }) => read.groupId),
    flat.map(({ read }) => read.slot),
    flat.map(({ read }) => read.fold),
    flat.map(({ read }) => read.probeId),
    flat.map(({ read }) => read.interval.from),
    flat.map(({ read }) => read.interval.to),
    [...new Set(flat.map(({ sliceId }) => sliceId))],
  ];
}

/** The arrays of sampleReadValues as the table r. */
const SAMPLE_READS = `unnest($1::int[], $2::int[], $3::int[], $4::int[], $5::text[], $6::int[],
  $7::bigint[], $8::bigint[]) as r(read, slice_id, group_id, slot, fold, probe_id, starts, ends)`;

/**
 * All readings of the reads, as the table s. The lateral part runs once for each row of r: one walk
 * along the index, in the one partition it names. Both OFFSET 0 are fences: without them the
 * planner may turn joins around and walk the index once for every key that is asked for.
 */
export const READINGS = `(
  select r.read, r.fold, s.*
  from ${SAMPLE_READS}
  cross join lateral (
    select s.shard, s.key_id, s.bucket, s.readings[r.slot] as reading,
      coalesce(s.counts[r.slot], 1) as readings_behind
    from samples s
    where s.slice_id = any($9::int[]) and s.slice_id = r.slice_id and s.group_id = r.group_id
      and s.bucket >= r.starts and s.bucket < r.ends
      and (r.probe_id is null or s.probe_id = r.probe_id)
      and s.readings[r.slot] is not null
    offset 0
  ) s
  offset 0
) s`;

/** The step of each read, in seconds, as the table step; $10 of the statement. */
export const READ_STEPS = `(
  select (place - 1)::int as read, seconds
  from unnest($10::int[]) with ordinality as t(seconds, place)
) step`;

/**
 * The value by the meter's rule (decision 23) and, for means, the number of readings behind it.
 * Both are numeric: the sum of two bigints may not be one.
 */
export const FOLDED = `
  case s.fold when 'max' then max(s.reading)::numeric
    when 'min' then min(s.reading)::numeric else sum(s.reading) end as value,
  case s.fold when 'mean' then sum(s.readings_behind) else 1 end as count`;
