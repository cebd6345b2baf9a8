import { malformed } from '../domain/errors.ts';
import type { Exact } from '../domain/exact.ts';
import { type EpochSeconds, stepsOf } from '../domain/interval.ts';
import { LIMITS } from '../domain/limits.ts';
import { isCounting } from '../domain/meter-type.ts';
import { nearestRank } from '../domain/percentile.ts';
import { type MeterRule, shownValue } from '../domain/topper-arithmetic.ts';
import type { StepReading } from './loaders/key-steps.ts';
import { readingsOf, type TopperPlan } from './topper-plan.ts';
import { keysWithin, type RankedKey, type Topper } from './toppers.ts';

/** at: the start of the step on the epoch's grid, also before the window's own start. */
export type SeriesPoint = { readonly at: EpochSeconds; readonly value: bigint };
export type TopperSeriesPoint = {
  readonly at: EpochSeconds;
  readonly total: bigint;
  readonly others: bigint;
};

const NOTHING: Exact = { sum: 0n, count: 1n };

/** The key's values by topper bucket, or by `step` seconds. Errors: a step that cannot be. */
export async function keySeries(ranked: RankedKey, step: number | null): Promise<SeriesPoint[]> {
  const { plan, keys } = ranked.topper;
  const stepSeconds = checkedStep(plan, step);
  checkPointsInAll(plan, stepSeconds, keys.length);
  const { found } = await keySteps(ranked, stepSeconds);
  const steps = isCounting(plan.fold) ? onEveryStep(plan, stepSeconds, found) : found;
  return steps.map(({ at, value }) => ({ at, value: shownValue(value, plan.rule, stepSeconds) }));
}

/** Decision 27: by nearest rank, in the order of `ranks`; none of a series without values. */
export async function keyPercentiles(
  ranked: RankedKey,
  ranks: readonly number[],
): Promise<{ rank: number; value: bigint }[]> {
  const { rule } = ranked.topper.plan;
  const { found, zeros } = await keySteps(ranked, rule.topperBucketSeconds);
  const ascending = shownAscending(found, rule);
  return ranks.flatMap((rank) => {
    const value = nearestRank(ascending, rank, zeros);
    return value === undefined ? [] : [{ rank, value }];
  });
}

/** The largest topper bucket of the window, in the unit of `metric`; null without any. */
export async function keyPeak(ranked: RankedKey): Promise<bigint | null> {
  const { rule } = ranked.topper.plan;
  const { found, zeros } = await keySteps(ranked, rule.topperBucketSeconds);
  return shownAscending(found, rule).at(-1) ?? (zeros > 0 ? 0n : null);
}

/** Rounding keeps the order, so the shown values rank as the exact ones do. */
const shownAscending = (steps: readonly StepReading[], rule: MeterRule): bigint[] =>
  steps.map(({ value }) => shownValue(value, rule)).sort((a, b) => (a < b ? -1 : a > b ? 1 : 0));

/**
 * found: the steps in which the key has readings. zeros: how many more there are that count as 0;
 * only counters have them (decision 27). They are not written out: years of them fit a window.
 */
type KeySteps = { readonly found: readonly StepReading[]; readonly zeros: number };

async function keySteps(
  { topper: { plan }, key }: RankedKey,
  stepSeconds: number,
): Promise<KeySteps> {
  const { group } = plan.meter;
  const readings = await readingsOf(plan, plan.covered);
  const found =
    readings.sliceIds.length > 0
      ? await group.at.loaders.keySteps.load({ ...readings, stepSeconds, key: key.row })
      : [];
  if (!isCounting(plan.fold)) return { found, zeros: 0 };
  return { found, zeros: stepCount(plan, stepSeconds) - found.length };
}

const stepCount = ({ meter, covered }: TopperPlan, stepSeconds: number): number =>
  stepsOf(covered, meter.group.row.bucket_size, stepSeconds).count;

function onEveryStep(
  plan: TopperPlan,
  stepSeconds: number,
  found: readonly StepReading[],
): StepReading[] {
  const values = new Map(found.map(({ at, value }) => [at, value]));
  return gridOf(plan, stepSeconds).map((at) => ({ at, value: values.get(at) ?? NOTHING }));
}

function gridOf({ meter, covered }: TopperPlan, stepSeconds: number): EpochSeconds[] {
  const { first, count } = stepsOf(covered, meter.group.row.bucket_size, stepSeconds);
  return Array.from({ length: count }, (_, i) => first + i * stepSeconds);
}

/** A multiple of the group's bucket, of which not too many fit into what the window covers. */
function checkedStep(plan: TopperPlan, step: number | null): number {
  const { bucket_size: bucket, topper_bucket_size: topperBucket } = plan.meter.group.row;
  const stepSeconds = step ?? topperBucket;
  if (stepSeconds < bucket || stepSeconds % bucket !== 0) {
    throw malformed('step', `a positive multiple of the bucket size, ${bucket}`, stepSeconds);
  }
  const count = stepCount(plan, stepSeconds);
  if (count > LIMITS.seriesPoints) {
    const must = `so long that there are at most ${LIMITS.seriesPoints} points`;
    throw malformed('step', must, `${stepSeconds}, which gives ${count}`);
  }
  return stepSeconds;
}

/** Each key's points are few enough; those of all listed keys must fit into memory together. */
function checkPointsInAll(plan: TopperPlan, stepSeconds: number, keys: number): void {
  const points = keys * stepCount(plan, stepSeconds);
  if (points <= LIMITS.seriesPointsInAll) return;
  const must = `so long that ${keys} keys have at most ${LIMITS.seriesPointsInAll} points together`;
  throw malformed('step', must, `${stepSeconds}, which gives ${points}`);
}

/** Total and others over time; for counters and rates what is listed and others are the total. */
export async function topperSeries(
  topper: Topper,
  step: number | null,
): Promise<TopperSeriesPoint[]> {
  const { plan, keys } = topper;
  const stepSeconds = checkedStep(plan, step);
  const readings = await readingsOf(plan, plan.covered);
  if (readings.sliceIds.length === 0) return [];
  const within = await keysWithin(plan);
  const [found, listed] = await Promise.all([
    plan.meter.group.at.loaders.groupSteps.load({
      ...readings,
      stepSeconds,
      keys: keys.map(({ key }) => key.row),
      within: within && [...within.values()],
    }),
    isCounting(plan.fold) ? listedSums(topper, stepSeconds) : null,
  ]);
  const shown = (value: Exact | null) =>
    value === null ? 0n : shownValue(value, plan.rule, stepSeconds);
  if (!listed) {
    return found.map(({ at, total, others }) => ({
      at,
      total: shown(total),
      others: shown(others),
    }));
  }
  const totals = new Map(found.map(({ at, total }) => [at, shown(total)]));
  return gridOf(plan, stepSeconds).map((at) => {
    const total = totals.get(at) ?? 0n;
    return { at, total, others: total - (listed.get(at) ?? 0n) };
  });
}

/** The listed keys' shown values together, by the start of the step. */
async function listedSums(
  { keys, plan }: Topper,
  stepSeconds: number,
): Promise<ReadonlyMap<EpochSeconds, bigint>> {
  const steps = await Promise.all(keys.map((key) => keySteps(key, stepSeconds)));
  const sums = new Map<EpochSeconds, bigint>();
  for (const { at, value } of steps.flatMap(({ found }) => found)) {
    sums.set(at, (sums.get(at) ?? 0n) + shownValue(value, plan.rule, stepSeconds));
  }
  return sums;
}
