import { ceilTo, type EpochSeconds, intersect } from '../../domain/time/interval.ts';
import { isCounting } from '../../domain/toppers/meter-type.ts';
import { shownValue } from '../../domain/toppers/topper-arithmetic.ts';
import { beginEach } from '../begin-each.ts';
import { labelOf } from '../keys.ts';
import { boundedStep, checkedStep, flatSeriesOfKeys } from './series-step.ts';
import type { TopperPlan } from './topper-plan.ts';
import { keyReadings, topperSeries } from './topper-series.ts';
import type { Topper } from './toppers.ts';

/** One value of one series, of a listed key or of all others. */
export type FlatSeriesPoint = {
  readonly at: EpochSeconds;
  /** null: the others. */
  readonly key: string | null;
  readonly label: string;
  readonly value: bigint;
  /** The amount per second; null for meters whose amounts do not add up. */
  readonly averageRate: number | null;
};

const OTHERS = { key: null, label: 'others' };

/** maxPoints: maximum number of points in time; null: as many as the limits allow. */
type FlatSeriesStep = { readonly step: number | null; readonly maxPoints: number | null };

/** Returns the step in seconds. Errors: an invalid step, or (without maxPoints) too many rows. */
export function flatSeriesStep({ plan, keys }: Topper, requested: FlatSeriesStep): number {
  const limits = flatSeriesOfKeys(keys.length);
  const { step, maxPoints } = requested;
  return maxPoints === null
    ? checkedStep(plan, step, limits)
    : boundedStep(plan, { step, maxPoints }, limits);
}

/**
 * Returns the series of the listed keys and of the others as rows of one table, by time and then by
 * rank, others last. Errors: those of a series, and too many rows.
 */
export async function flatSeries(topper: Topper, step: number | null): Promise<FlatSeriesPoint[]> {
  const stepSeconds = flatSeriesStep(topper, { step, maxPoints: null });
  const rateOf = ratesOf(topper.plan, stepSeconds);
  // Concurrently, so that the data for the others are read together with the keys' own series.
  const { loaders } = topper.plan.meter.group.at;
  const [others, listed] = await Promise.all([
    topperSeries(topper, step),
    beginEach(topper.keys, (key) => keyReadings(key, stepSeconds), loaders.pause),
  ]);
  const listedSums = new Map<EpochSeconds, bigint>();
  const byTime = new Map<EpochSeconds, FlatSeriesPoint[]>();
  const add = (point: FlatSeriesPoint) => {
    const points = byTime.get(point.at);
    if (points) points.push(point);
    else byTime.set(point.at, [point]);
  };
  for (const [keyIndex, { key }] of topper.keys.entries()) {
    const named = { key: key.row.key, label: labelOf(key) };
    for (const { at, value: exact } of listed[keyIndex] ?? []) {
      listedSums.set(at, (listedSums.get(at) ?? 0n) + exact.sum);
      const value = shownValue(exact, topper.plan.rule, stepSeconds);
      add({ ...named, at, value, averageRate: rateOf(at, exact.sum) });
    }
    await loaders.pause();
  }
  for (const { at, others: value, exactTotal } of others) {
    const averageRate = rateOf(at, exactTotal.sum - (listedSums.get(at) ?? 0n));
    add({ ...OTHERS, at, value, averageRate });
  }
  return [...byTime.keys()].sort((a, b) => a - b).flatMap((at) => byTime.get(at) ?? []);
}

/**
 * Returns a function that divides the sum of a step's readings, sampled, by the seconds of its
 * buckets within the window and the data. The steps at the edges are seldom whole, and a chart of
 * amounts would drop there.
 */
function ratesOf(
  { meter, covered, aggregate, rule }: TopperPlan,
  stepSeconds: number,
): (at: EpochSeconds, sum: bigint) => number | null {
  if (!isCounting(aggregate)) return () => null;
  const samplingRate = BigInt(rule.samplingRate);
  const { bucketSize: bucket } = meter.group.row;
  const buckets = { from: ceilTo(covered.from, bucket), to: ceilTo(covered.to, bucket) };
  return (at, sum) => {
    const { from, to } = intersect({ from: at, to: at + stepSeconds }, buckets);
    return Number(sum * samplingRate) / (to - from);
  };
}
