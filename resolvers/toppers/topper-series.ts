import { groupBy } from '../../domain/group-by.ts';
import { type EpochSeconds, isEmpty, stepsOf } from '../../domain/time/interval.ts';
import { type Exact, NO_READING } from '../../domain/toppers/exact.ts';
import { isCounting } from '../../domain/toppers/meter-type.ts';
import { shownValue } from '../../domain/toppers/topper-arithmetic.ts';
import type { GroupStep } from '../../engine/series/group-steps.ts';
import type { KeySeriesRequest } from '../../engine/series/key-series-loader.ts';
import type { SeriesValues } from '../../engine/series/percentiles.ts';
import { type StepSeries, stepAt, stepValue } from '../../engine/series/step-series.ts';
import type { KeySelection } from '../../engine/toppers/topper-answers.ts';
import { beginEach } from '../begin-each.ts';
import { checkedStep, seriesOfKeys, stepCount } from './series-step.ts';
import { readOf, type TopperPlan } from './topper-plan.ts';
import { keysWithin, type RankedKey, selectKeys, type Topper } from './toppers.ts';

/** at: the start of the step on the epoch-aligned grid, which may be before the window's start. */
export type SeriesPoint = { readonly at: EpochSeconds; readonly value: bigint };

/** exactTotal: the total before it is sampled and rounded. */
export type TopperSeriesPoint = {
  readonly at: EpochSeconds;
  readonly total: bigint;
  readonly others: bigint;
  readonly exactTotal: Exact;
};

/** Number of points that take some 10 ms to make. */
const POINTS_AT_ONCE = 10_000;

/** Returns the key's values by topper bucket, or by `step` seconds. Errors: an invalid step. */
export async function keySeries(ranked: RankedKey, step: number | null): Promise<SeriesPoint[]> {
  const { plan, keys } = ranked.topper;
  const stepSeconds = checkedStep(plan, step, seriesOfKeys(keys.length));
  return shownPoints(await keyReadings(ranked, stepSeconds), plan, stepSeconds);
}

const shownPoints = (
  readings: readonly StepReading[],
  { rule }: TopperPlan,
  stepSeconds: number,
): SeriesPoint[] =>
  readings.map(({ at, value }) => ({ at, value: shownValue(value, rule, stepSeconds) }));

/** A value before it is sampled and rounded. */
export type StepReading = { readonly at: EpochSeconds; readonly value: Exact };

/** Returns the key's exact values by steps of `stepSeconds`, which the caller has checked. */
export async function keyReadings(ranked: RankedKey, stepSeconds: number): Promise<StepReading[]> {
  const { plan, keys } = ranked.topper;
  const found = await loadSteps(plan, stepSeconds, { key: ranked.key.row.key });
  // The series of all keys arrive together; made in one go, they would delay all other requests.
  if (keys.length * stepCount(plan, stepSeconds) > POINTS_AT_ONCE) {
    await plan.meter.group.at.loaders.yieldToEventLoop();
  }
  const readings = stepReadings(found);
  return isCounting(plan.aggregate) ? onEveryStep(plan, stepSeconds, readings) : readings;
}

/** Returns the series of all keys that pass the topper's filter, together. Errors: an invalid step. */
export async function matchingSeries(
  plan: TopperPlan,
  step: number | null,
): Promise<SeriesPoint[]> {
  const stepSeconds = checkedStep(plan, step);
  const series = await loadSteps(plan, stepSeconds, await matchingKeys(plan, stepSeconds));
  const found = stepReadings(series);
  const readings = isCounting(plan.aggregate) ? onEveryStep(plan, stepSeconds, found) : found;
  return shownPoints(readings, plan, stepSeconds);
}

export type PercentileValue = { readonly rank: number; readonly value: bigint };

/** Decision 27: by nearest rank, in the order of `ranks`; empty for a series without values. */
export const keyPercentiles = (
  { topper: { plan }, key }: RankedKey,
  ranks: readonly number[],
): Promise<PercentileValue[]> => percentilesOf(plan, { key: key.row.key }, ranks);

/** The same of all keys that pass the topper's filter, together. */
export const matchingPercentiles = async (
  plan: TopperPlan,
  ranks: readonly number[],
): Promise<PercentileValue[]> => percentilesOf(plan, await matchingKeys(plan), ranks);

async function percentilesOf(
  plan: TopperPlan,
  of: SeriesOf,
  ranks: readonly number[],
): Promise<PercentileValue[]> {
  const values = await loadValues(plan, of, ranks);
  return ranks.flatMap((rank, i) => {
    const value = values[i];
    return value ? [{ rank, value: shownValue(value, plan.rule) }] : [];
  });
}

/** Returns the largest topper bucket of the window, in the unit of `metric`; null without any. */
export const keyPeak = ({ topper: { plan }, key }: RankedKey): Promise<bigint | null> =>
  peakOf(plan, { key: key.row.key });

/** The same of all keys that pass the topper's filter, together. */
export const matchingPeak = async (plan: TopperPlan): Promise<bigint | null> =>
  peakOf(plan, await matchingKeys(plan));

async function peakOf(plan: TopperPlan, of: SeriesOf): Promise<bigint | null> {
  const [largest] = await loadValues(plan, of, [100]);
  return largest ? shownValue(largest, plan.rule) : null;
}

/** A key in raw form, or several keys together; 'all': the whole group. */
type SeriesOf = { readonly key: string } | KeySelection | 'all';

/** Returns the keys that pass. Totals of a group are stored, by topper bucket. */
async function matchingKeys(
  plan: TopperPlan,
  stepSeconds: number = plan.rule.topperBucketSeconds,
): Promise<KeySelection | 'all'> {
  const { filter, within, rule } = plan;
  const isStored =
    filter === null && within === null && stepSeconds % rule.topperBucketSeconds === 0;
  return isStored ? 'all' : selectKeys(plan);
}

function loadValues(
  plan: TopperPlan,
  of: SeriesOf,
  ranks: readonly number[],
): Promise<SeriesValues> {
  const stepSeconds = plan.rule.topperBucketSeconds;
  // Only counters have zeros (decision 27).
  const bucketCount = isCounting(plan.aggregate) ? stepCount(plan, stepSeconds) : null;
  const { keySeries: loader } = plan.meter.group.at.loaders;
  return loader.values(seriesRequest(plan, stepSeconds, of), { ranks, bucketCount });
}

const loadSteps = (plan: TopperPlan, stepSeconds: number, of: SeriesOf): Promise<StepSeries> =>
  plan.meter.group.at.loaders.keySeries.steps(seriesRequest(plan, stepSeconds, of));

function seriesRequest(plan: TopperPlan, stepSeconds: number, of: SeriesOf): KeySeriesRequest {
  const { contextId } = plan.meter.group.at;
  // The total of all keys equals that of their networks.
  const read = readOf(of === 'all' ? { ...plan, prefix: null } : plan, plan.covered);
  return {
    contextId,
    read,
    stepSeconds,
    key: of !== 'all' && 'key' in of ? of.key : null,
    selection: of === 'all' || 'key' in of ? null : of,
    deadline: plan.deadline,
  };
}

const stepReadings = (series: StepSeries): StepReading[] =>
  Array.from(series.ids, (_, index) => ({
    at: stepAt(series, index),
    value: stepValue(series, index),
  }));

/** Returns the readings of several series, and gives way in between. */
async function readingsOfAll(
  plan: TopperPlan,
  series: readonly StepSeries[],
): Promise<StepReading[]> {
  const all: StepReading[] = [];
  for (const each of series) {
    for (const reading of stepReadings(each)) all.push(reading);
    await plan.meter.group.at.loaders.pause();
  }
  return all;
}

function onEveryStep(
  plan: TopperPlan,
  stepSeconds: number,
  found: readonly StepReading[],
): StepReading[] {
  const values = new Map(found.map(({ at, value }) => [at, value]));
  return gridOf(plan, stepSeconds).map((at) => ({ at, value: values.get(at) ?? NO_READING }));
}

function gridOf({ meter, covered }: TopperPlan, stepSeconds: number): EpochSeconds[] {
  const { first, count } = stepsOf(covered, meter.group.row.bucketSize, stepSeconds);
  return Array.from({ length: count }, (_, i) => first + i * stepSeconds);
}

/** Returns total and others over time. For counters and rates, listed keys + others = total. */
export async function topperSeries(
  topper: Topper,
  step: number | null,
): Promise<TopperSeriesPoint[]> {
  const { plan } = topper;
  const stepSeconds = checkedStep(plan, step);
  if (isEmpty(plan.covered)) return [];
  const steps = isOfWholeGroup(plan, stepSeconds)
    ? await stepsOfGroup(topper, stepSeconds)
    : await stepsOfKeys(topper, stepSeconds);
  if (!isCounting(plan.aggregate)) return steps.map((each) => shownStep(each, plan, stepSeconds));
  const listed = await listedSums(topper, stepSeconds);
  const totals = new Map(steps.map(({ at, total }) => [at, total]));
  return gridOf(plan, stepSeconds).map((at) => {
    const exactTotal = totals.get(at) ?? NO_READING;
    const total = shownValue(exactTotal, plan.rule, stepSeconds);
    return { at, total, others: total - (listed.get(at) ?? 0n), exactTotal };
  });
}

const shownStep = (
  { at, total, others }: GroupStep,
  { rule }: TopperPlan,
  stepSeconds: number,
): TopperSeriesPoint => ({
  at,
  total: shownValue(total, rule, stepSeconds),
  others: others ? shownValue(others, rule, stepSeconds) : 0n,
  exactTotal: total,
});

/**
 * Whether the series of the whole group and of the listed keys are enough to compute the others: a
 * maximum or minimum cannot be subtracted.
 */
const isOfWholeGroup = ({ aggregate, within, rule }: TopperPlan, stepSeconds: number): boolean =>
  !within &&
  aggregate !== 'max' &&
  aggregate !== 'min' &&
  stepSeconds % rule.topperBucketSeconds === 0;

async function stepsOfGroup({ plan, keys }: Topper, stepSeconds: number): Promise<GroupStep[]> {
  const [whole, listed] = await Promise.all([
    loadSteps(plan, stepSeconds, 'all'),
    isCounting(plan.aggregate) ? [] : stepsOfEach({ plan, keys }, stepSeconds),
  ]);
  const taken = groupBy(await readingsOfAll(plan, listed), ({ at }) => at);
  return stepReadings(whole).map(({ at, value }) => {
    let { sum, count } = value;
    for (const { value: own } of taken.get(at) ?? []) {
      sum -= own.sum;
      count -= own.count;
    }
    return { at, total: value, others: count > 0n ? { sum, count } : null };
  });
}

const stepsOfEach = (
  { plan, keys }: Pick<Topper, 'plan' | 'keys'>,
  stepSeconds: number,
): Promise<StepSeries[]> =>
  beginEach(
    keys,
    ({ key }) => loadSteps(plan, stepSeconds, { key: key.row.key }),
    plan.meter.group.at.loaders.pause,
  );

async function stepsOfKeys({ plan, keys }: Topper, stepSeconds: number): Promise<GroupStep[]> {
  const { at } = plan.meter.group;
  return at.loaders.groupSteps.load({
    contextId: at.contextId,
    read: readOf(plan, plan.covered),
    stepSeconds,
    listed: keys.map(({ key }) => key.row.key),
    within: keysWithin(plan),
    deadline: plan.deadline,
  });
}

/** Returns the sums of the listed keys' shown values, by start of the step. */
async function listedSums(
  { keys, plan }: Topper,
  stepSeconds: number,
): Promise<ReadonlyMap<EpochSeconds, bigint>> {
  const series = await stepsOfEach({ plan, keys }, stepSeconds);
  const sums = new Map<EpochSeconds, bigint>();
  for (const { at, value } of await readingsOfAll(plan, series)) {
    sums.set(at, (sums.get(at) ?? 0n) + shownValue(value, plan.rule, stepSeconds));
  }
  return sums;
}
