import type { EpochSeconds } from './interval.ts';

/** Where there are readings, from the first bucket to the last; their starts. */
export type CoveredSpan = {
  readonly firstBucket: EpochSeconds;
  readonly lastBucket: EpochSeconds;
  /** The newest buckets before the last one, if that was ahead of the clock; else null. */
  readonly earlierBuckets: readonly EpochSeconds[] | null;
};

/**
 * Returns the newest bucket that is not later than `limit`: a bucket further ahead of the clock
 * comes from a clock that is wrong. Where all buckets are later, the newest of them counts; null:
 * there are none.
 */
export function newestBucket(
  spans: readonly CoveredSpan[],
  limit: EpochSeconds,
): EpochSeconds | null {
  let newest = Number.NEGATIVE_INFINITY;
  let last = Number.NEGATIVE_INFINITY;
  for (const { firstBucket, lastBucket, earlierBuckets } of spans) {
    last = Math.max(last, lastBucket);
    const buckets = lastBucket <= limit ? [lastBucket] : [firstBucket, ...(earlierBuckets ?? [])];
    newest = Math.max(newest, ...buckets.filter((bucket) => bucket <= limit));
  }
  const found = newest === Number.NEGATIVE_INFINITY ? last : newest;
  return found === Number.NEGATIVE_INFINITY ? null : found;
}

/** Returns the latest start of a bucket that is not ahead of the clock (decision 19). */
export const presentUntil = (now: EpochSeconds, topperBucketSeconds: number): EpochSeconds =>
  now + topperBucketSeconds;
