/** Seconds since 1970-01-01T00:00:00Z, a whole number from 0 to MAX_EPOCH_SECONDS. */
export type EpochSeconds = number;

/** 9999-12-31T23:59:59Z, the last second a time may name (decision 22). */
export const MAX_EPOCH_SECONDS = 253_402_300_799;

/** Half open: `from` is in it, `to` is not (decision 18). */
export type Interval = { readonly from: EpochSeconds; readonly to: EpochSeconds };

export const isEmpty = ({ from, to }: Interval): boolean => to <= from;

/** Returns the overlap of two intervals; without any, an empty interval at the later start. */
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
 * Returns the grid steps that hold at least one bucket whose start lies in `interval` (decision
 * 27), as the start of the first step and the number of steps. A step is a multiple of the bucket.
 */
export function stepsOf(
  interval: Interval,
  bucketSeconds: number,
  stepSeconds: number,
): { first: EpochSeconds; count: number } {
  const { firstBucket, lastBucket } = bucketsOf(interval, bucketSeconds);
  const first = floorTo(firstBucket, stepSeconds);
  if (lastBucket < firstBucket) return { first, count: 0 };
  return { first, count: (floorTo(lastBucket, stepSeconds) - first) / stepSeconds + 1 };
}

/** Returns the grid steps that overlap an interval, clipped to it, oldest first. */
export function clippedSteps(interval: Interval, stepSeconds: number): Interval[] {
  const steps: Interval[] = [];
  if (isEmpty(interval)) return steps;
  let from = floorTo(interval.from, stepSeconds);
  for (; from < interval.to; from += stepSeconds) {
    steps.push(intersect({ from, to: from + stepSeconds }, interval));
  }
  return steps;
}

/** Returns the starts of the first and the last bucket that begin in an interval. */
const bucketsOf = ({ from, to }: Interval, bucketSeconds: number) => ({
  firstBucket: ceilTo(from, bucketSeconds),
  lastBucket: ceilTo(to, bucketSeconds) - bucketSeconds,
});

type StepBounds = {
  readonly multipleOf: number;
  /** Seconds. */
  readonly min: number;
  /** Steps, at least one. */
  readonly max: number;
};

/**
 * Returns the shortest step, a multiple of `multipleOf` and not below `min`, with which at most
 * `max` steps hold the buckets of `interval`. A division cannot compute it, because a longer step
 * may need one step more on its own grid. So this counts the steps of each candidate. While
 * b ÷ step, rounded down, stays the same for the last bucket b, a longer step gives no fewer steps,
 * so the candidates in between are skipped.
 */
export function shortestStep(
  interval: Interval,
  bucketSeconds: number,
  { multipleOf, min, max }: StepBounds,
): number {
  const { firstBucket, lastBucket } = bucketsOf(interval, bucketSeconds);
  const after = (seconds: number) => (Math.floor(seconds / multipleOf) + 1) * multipleOf;
  // `max` of these steps are longer than the time from the first to the last bucket.
  const enough = after(Math.max(0, lastBucket - firstBucket) / max);
  let step = Math.max(ceilTo(min, multipleOf), enough);
  while (stepsOf(interval, bucketSeconds, step).count > max) {
    step = after(lastBucket / Math.floor(lastBucket / step));
  }
  return step;
}
