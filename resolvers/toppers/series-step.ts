import { malformed } from '../../domain/errors.ts';
import { LIMITS } from '../../domain/limits.ts';
import { ceilTo, shortestStep, stepsOf } from '../../domain/time/interval.ts';
import type { TopperPlan } from './topper-plan.ts';

/** How many points each series may have so that all of them together stay within a limit. */
type PointLimit = {
  readonly series: number;
  /** Of all series together. */
  readonly most: number;
  readonly must: string;
};

/** What the series of a topper and of its keys are bounded by. */
export const ONE_SERIES: readonly PointLimit[] = [
  {
    series: 1,
    most: LIMITS.seriesPoints,
    must: `so long that there are at most ${LIMITS.seriesPoints} points`,
  },
];

/** Each key's points are few enough; those of all listed keys must fit into memory together. */
export const seriesOfKeys = (keys: number): readonly PointLimit[] => [
  ...ONE_SERIES,
  {
    series: keys,
    most: LIMITS.seriesPointsInAll,
    must: `so long that ${keys} keys have at most ${LIMITS.seriesPointsInAll} points together`,
  },
];

/** The listed keys and the others, as rows of one table. */
export const flatSeriesOfKeys = (keys: number): readonly PointLimit[] => [
  ...seriesOfKeys(keys),
  {
    series: keys + 1,
    most: LIMITS.flatSeriesRows,
    must: `so long that ${keys + 1} series have at most ${LIMITS.flatSeriesRows} rows`,
  },
];

export const stepCount = ({ meter, covered }: TopperPlan, stepSeconds: number): number =>
  stepsOf(covered, meter.group.row.bucketSize, stepSeconds).count;

/**
 * The step as asked for, null: the topper bucket. Errors: it is no multiple of the group's bucket,
 * or so short that there are too many points; then the shortest that works is named.
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
  const over = limits.find(({ series, most }) => series * points > most);
  if (over) {
    const shortest = shortestOf(plan, bucket, { least: bucket, most: mostPoints(limits) });
    const given = `${stepSeconds}, which gives ${over.series * points}`;
    throw malformed('step', `${over.must}, the shortest is ${shortest}`, given);
  }
  return stepSeconds;
}

/** How many points a series has. Errors: a step that cannot be. */
export function seriesLength(
  plan: TopperPlan,
  step: number | null,
): { stepSeconds: number; points: number } {
  const stepSeconds = checkedStep(plan, step);
  return { stepSeconds, points: stepCount(plan, stepSeconds) };
}

/**
 * The step that gives at most `maxPoints` points, and no more than the limits allow. One that is
 * asked for is the least that it may be, in whole buckets, and is taken where it fits; otherwise it
 * becomes the smallest multiple of the topper bucket that does. Error: maxPoints is no number of
 * points, or step no length.
 */
export function boundedStep(
  plan: TopperPlan,
  { step, maxPoints }: { readonly step: number | null; readonly maxPoints: number },
  limits: readonly PointLimit[],
): number {
  if (maxPoints < 1) throw malformed('maxPoints', 'a positive number of points', maxPoints);
  if (step !== null && step < 1) throw malformed('step', 'a positive number of seconds', step);
  const { bucketSize: bucket, topperBucketSize: topperBucket } = plan.meter.group.row;
  const least = ceilTo(step ?? topperBucket, bucket);
  const most = Math.min(maxPoints, mostPoints(limits));
  return stepCount(plan, least) <= most ? least : shortestOf(plan, topperBucket, { least, most });
}

/** Error: there are so many series that they have not even one point each. */
function mostPoints(limits: readonly PointLimit[]): number {
  const most = Math.min(...limits.map((limit) => Math.floor(limit.most / limit.series)));
  if (most >= 1) return most;
  const series = Math.max(...limits.map((limit) => limit.series));
  const must = `at most ${LIMITS.flatSeriesRows - 1}, so that each series can have a point`;
  throw malformed('maxItems', must, `${series - 1} keys`);
}

const shortestOf = (
  { meter, covered }: TopperPlan,
  multipleOf: number,
  bounds: { readonly least: number; readonly most: number },
): number => shortestStep(covered, meter.group.row.bucketSize, { multipleOf, ...bounds });
