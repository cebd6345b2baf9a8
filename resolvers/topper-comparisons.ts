import { compareKeys } from '../domain/compare-keys.ts';
import { invalidWindow, malformed, serviceError } from '../domain/errors.ts';
import { compareExact, type Exact } from '../domain/exact.ts';
import type { Guid } from '../domain/guid.ts';
import { type Interval, intersect, MAX_EPOCH_SECONDS } from '../domain/interval.ts';
import { ratio, shownValue } from '../domain/topper-arithmetic.ts';
import { availableInterval, drilldownsOf } from './counter-groups.ts';
import type { KeyReading } from './loaders/key-readings.ts';
import type { RequestScope } from './request-scope.ts';
import { checkMaxItems, rankableMeter, ruleOf, type TopperPlan } from './topper-plan.ts';
import {
  candidateReadings,
  idOf,
  loadTopper,
  type RankedKey,
  type Topper,
  withKeys,
} from './toppers.ts';

export type PreviousMetric = {
  readonly window: Interval;
  readonly metric: bigint;
  readonly rank: number | null;
  readonly change: bigint;
  readonly changeRatio: number | null;
};

/** The same key, `ago` seconds earlier (null: in the window just before), filter and probe kept. */
export async function previousOf(ranked: RankedKey, ago: number | null): Promise<PreviousMetric> {
  const { topper } = ranked;
  const { rule } = topper.plan;
  const window = earlier(topper.plan.window, ago);
  const ranking = await rankingAt(topper, window);
  const reading = ranking.byId.get(idOf(ranked.key.row));
  // Decision 31: without a reading then, metric is 0 and rank null.
  const metric = reading ? shownValue(reading.value, rule) : 0n;
  const change = shownValue(ranked.value, rule) - metric;
  return {
    window,
    metric,
    rank: reading ? await rankOf(topper.plan, reading, ranking) : null,
    change,
    changeRatio: metric === 0n ? null : ratio(change, metric),
  };
}

/** The keys that passed in another window, largest first, equals in no order. */
type Ranking = {
  readonly byId: ReadonlyMap<string, KeyReading>;
  readonly largestFirst: readonly KeyReading[];
};

/** Made once for all listed keys of a topper, however many ask. */
const rankings = new WeakMap<Topper, Map<number, Promise<Ranking>>>();

function rankingAt(topper: Topper, window: Interval): Promise<Ranking> {
  const known = rankings.get(topper) ?? new Map<number, Promise<Ranking>>();
  rankings.set(topper, known);
  const ranking = known.get(window.from) ?? makeRanking({ ...topper.plan, window });
  known.set(window.from, ranking);
  return ranking;
}

async function makeRanking(plan: TopperPlan): Promise<Ranking> {
  const { passing } = await candidateReadings(plan);
  return {
    byId: new Map(passing.map((reading) => [idOf(reading), reading])),
    largestFirst: passing.toSorted((a, b) => compareExact(b.value, a.value)),
  };
}

function earlier({ from, to }: Interval, ago: number | null): Interval {
  const seconds = ago ?? to - from;
  if (ago !== null && ago < 1) throw malformed('ago', 'a positive number of seconds', ago);
  if (from - seconds < 0 && ago === null) {
    throw invalidWindow(`the one just before must not begin before 0, got ${from - seconds}`);
  }
  if (from - seconds < 0) {
    const must = `at most ${from} seconds, so that the window stays within 0 to ${MAX_EPOCH_SECONDS}`;
    throw malformed('ago', must, seconds);
  }
  return { from: from - seconds, to: to - seconds };
}

/** One more than the keys before it: the larger ones, and its equals with a smaller key. */
async function rankOf(
  plan: TopperPlan,
  reading: KeyReading,
  { largestFirst }: Ranking,
): Promise<number> {
  const start = firstNotLarger(largestFirst, reading.value);
  let end = start;
  while (largestFirst[end] && isEqual(largestFirst[end], reading)) end += 1;
  const placed = await withKeys(plan, largestFirst.slice(start, end));
  const own = placed.find((candidate) => candidate.reading === reading);
  const before = placed.filter(({ key }) => own && compareKeys(key.row.key, own.key.row.key) < 0);
  return start + before.length + 1;
}

const isEqual = (a: KeyReading | undefined, b: KeyReading): boolean =>
  a !== undefined && compareExact(a.value, b.value) === 0;

/** By bisection: where in a list with the largest first the values are no longer above `value`. */
function firstNotLarger(largestFirst: readonly KeyReading[], value: Exact): number {
  let [low, high] = [0, largestFirst.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    const reading = largestFirst[middle];
    if (reading && compareExact(reading.value, value) > 0) low = middle + 1;
    else high = middle;
  }
  return low;
}

export type Drilldown = { crosskey: Guid; meterIndex: number; maxItems: number };

/**
 * The top keys of a cross-key group under this key, in the same window and probe; the filter is not
 * kept. Error: the group is none of this group's drill-downs.
 */
export async function drillDown(
  scope: RequestScope,
  ranked: RankedKey,
  { crosskey, meterIndex, maxItems }: Drilldown,
): Promise<Topper> {
  const { plan } = ranked.topper;
  const outer = plan.meter.group;
  checkMaxItems(maxItems, scope.settings.maxTopperItems, 'maxItems');
  const group = (await drilldownsOf(outer)).find(({ guid }) => guid === crosskey);
  if (!group) throw serviceError('invalidCounterGroup', { guid: crosskey });
  const { meter, fold } = await rankableMeter(group, meterIndex);
  const available = await availableInterval(group, plan.probeId);
  const { window, probeId, bound } = plan;
  return loadTopper({
    ...{ meter, fold, rule: ruleOf(group, fold), window, probeId, maxItems, bound },
    covered: available ? intersect(window, available) : { from: window.from, to: window.from },
    passes: null,
    within: { group: outer, key: ranked.key.row.key },
  });
}
