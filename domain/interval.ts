/** Seconds since 1970-01-01T00:00:00Z, a whole number from 0 to MAX_EPOCH_SECONDS. */
export type EpochSeconds = number;

/** 9999-12-31T23:59:59Z, the last second a time may name (decision 22). */
export const MAX_EPOCH_SECONDS = 253_402_300_799;

/** Half open: `from` is in it, `to` is not (decision 18). */
export type Interval = { readonly from: EpochSeconds; readonly to: EpochSeconds };

export const isEmpty = ({ from, to }: Interval): boolean => to <= from;

/** What two intervals share; an empty interval at the later start when they share nothing. */
export function intersect(a: Interval, b: Interval): Interval {
  const from = Math.max(a.from, b.from);
  return { from, to: Math.max(from, Math.min(a.to, b.to)) };
}

/** The start of the grid step that `at` lies in; grids start at the epoch. */
export const floorTo = (at: number, stepSeconds: number): number =>
  Math.floor(at / stepSeconds) * stepSeconds;

export const ceilTo = (at: number, stepSeconds: number): number =>
  Math.ceil(at / stepSeconds) * stepSeconds;

/**
 * The starts of the grid steps that hold at least one bucket whose start lies in `interval`
 * (decision 27), as first start and number of steps. A step is a multiple of the bucket.
 */
export function stepsOf(
  interval: Interval,
  bucketSeconds: number,
  stepSeconds: number,
): { first: EpochSeconds; count: number } {
  const firstBucket = ceilTo(interval.from, bucketSeconds);
  const lastBucket = ceilTo(interval.to, bucketSeconds) - bucketSeconds;
  const first = floorTo(firstBucket, stepSeconds);
  if (lastBucket < firstBucket) return { first, count: 0 };
  return { first, count: (floorTo(lastBucket, stepSeconds) - first) / stepSeconds + 1 };
}
