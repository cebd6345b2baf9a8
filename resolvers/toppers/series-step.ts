import { malformed } from '../../domain/errors.ts';
import { LIMITS } from '../../domain/limits.ts';
import { ceilTo, shortestStep, stepsOf } from '../../domain/time/interval.ts';
import { isCounting } from '../../domain/toppers/meter-type.ts';
import type { TopperPlan } from './topper-plan.ts';

/** A limit on the total number of points of several series. */
type PointLimit = {
  readonly series: number;
  /** Maximum number of points of all series together. */
  readonly max: number;
  readonly must: string;
};

/** The limit on a single series of a topper or of one of its keys. */
const ONE_SERIES: readonly PointLimit[] = [
  {
    series: 1,
    max: LIMITS.seriesPoints,
    must: `long enough for at most ${LIMITS.seriesPoints} points`,
  },
];

/** The limits on the series of listed keys: all of them together must fit into memory. */
export const seriesOfKeys = (keys: number): readonly PointLimit[] => [
  ...ONE_SERIES,
  {
    series: keys,
    max: LIMITS.seriesPointsInAll,
    must: `long enough that ${keys} keys have at most ${LIMITS.seriesPointsInAll} points together`,
  },
];

/** The limits on the series of the listed keys and the others, as rows of one table. */
export const flatSeriesOfKeys = (keys: number): readonly PointLimit[] => [
  ...seriesOfKeys(keys),
  {
    series: keys + 1,
    max: LIMITS.flatSeriesRows,
    must: `long enough that ${keys + 1} series have at most ${LIMITS.flatSeriesRows} rows`,
  },
];

export const stepCount = ({ meter, covered }: TopperPlan, stepSeconds: number): number =>
  stepsOf(covered, meter.group.row.bucketSize, stepSeconds).count;

/**
 * Returns the requested step; null: the topper bucket. Errors: the step is not a multiple of the
 * group's bucket, or gives too many points; the message then names the shortest valid step.
 */
export function checkedStep(
  plan: TopperPlan,
  step: number | null,
  limits: readonly PointLimit[] = ONE_SERIES,
): number {
  const { bucketSize: bucket, topperBucketSize: topperBucket } = plan.meter.group.row;
  const stepSeconds = step ?? topperBucket;
  if (stepSeconds < bucket || stepSeconds % bucket !== 0) {
    throw malformed('step', `a positive multiple of the bucket size, ${bucket}`, stepSeconds);
  }
  const points = stepCount(plan, stepSeconds);
  const over = limits.find(({ series, max }) => series * points > max);
  if (over) {
    const shortest = shortestOf(plan, bucket, { min: bucket, max: maxPointsOf(limits) });
    const given = `${stepSeconds}, which gives ${over.series * points}`;
    throw malformed('step', `${over.must}, the shortest is ${shortest}`, given);
  }
  return stepSeconds;
}

/**
 * Returns how many of the points a series is sure to have: only amounts are zero where there is no
 * reading.
 */
export const densePoints = ({ aggregate }: TopperPlan, points: number): number =>
  isCounting(aggregate) ? points : 0;

/** Returns the step and the number of points of a series. Errors: an invalid step. */
export function seriesLength(
  plan: TopperPlan,
  step: number | null,
): { stepSeconds: number; points: number } {
  const stepSeconds = checkedStep(plan, step);
  return { stepSeconds, points: stepCount(plan, stepSeconds) };
}

/**
 * Returns a step that gives at most `maxPoints` points, and no more than the limits allow. The
 * requested step, rounded up to whole buckets, is the minimum, and is used if it fits. Otherwise
 * the result is the smallest multiple of the topper bucket that fits. Errors: maxPoints or step is
 * not positive.
 */
export function boundedStep(
  plan: TopperPlan,
  { step, maxPoints }: { readonly step: number | null; readonly maxPoints: number },
  limits: readonly PointLimit[],
): number {
  if (maxPoints < 1) throw malformed('maxPoints', 'a positive number of points', maxPoints);
  if (step !== null && step < 1) throw malformed('step', 'a positive number of seconds', step);
  const { bucketSize: bucket, topperBucketSize: topperBucket } = plan.meter.group.row;
  const min = ceilTo(step ?? topperBucket, bucket);
  const max = Math.min(maxPoints, maxPointsOf(limits));
  return stepCount(plan, min) <= max ? min : shortestOf(plan, topperBucket, { min, max });
}

/** Returns the maximum number of points per series. Error: too many series for one point each. */
function maxPointsOf(limits: readonly PointLimit[]): number {
  const most = Math.min(...limits.map((limit) => Math.floor(limit.max / limit.series)));
  if (most >= 1) return most;
  const series = Math.max(...limits.map((limit) => limit.series));
  const must = `at most ${LIMITS.flatSeriesRows - 1}, so that each series can have a point`;
  throw malformed('maxItems', must, `${series - 1} keys`);
}

const shortestOf = (
  { meter, covered }: TopperPlan,
  multipleOf: number,
  bounds: { readonly min: number; readonly max: number },
): number => shortestStep(covered, meter.group.row.bucketSize, { multipleOf, ...bounds });
