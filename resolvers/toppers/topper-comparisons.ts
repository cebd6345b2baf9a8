import { malformed, serviceError } from '../../domain/errors.ts';
import type { Guid } from '../../domain/text/guid.ts';
import type { Interval } from '../../domain/time/interval.ts';
import type { WindowRequest } from '../../domain/time/window.ts';
import { BY_METRIC } from '../../domain/toppers/ranking.ts';
import { ratio, shownValue } from '../../domain/toppers/topper-arithmetic.ts';
import type { RankedValue } from '../../engine/toppers/topper-answers.ts';
import { probeIdOf } from '../contexts.ts';
import { availableInterval, type CounterGroupView, drilldownsOf } from '../counter-groups.ts';
import type { KeyView } from '../keys.ts';
import type { RequestScope } from '../request-scope.ts';
import { windowOf } from '../window-of.ts';
import {
  checkMaxItems,
  earlierWindow,
  planOf,
  rankableMeter,
  type TopperPlan,
} from './topper-plan.ts';
import { askKeys, loadTopper, type RankedKey, selectKeys, type Topper } from './toppers.ts';

export type PreviousMetric = {
  readonly window: Interval;
  readonly metric: bigint;
  readonly rank: number | null;
  readonly change: bigint;
  readonly changeRatio: number | null;
};

/**
 * Returns the values of the same key `ago` seconds earlier (null: in the window just before), with
 * the same filter and probe.
 */
export async function previousOf(ranked: RankedKey, ago: number | null): Promise<PreviousMetric> {
  const { topper } = ranked;
  const { rule } = topper.plan;
  const window = earlierWindow(topper.plan.window, ago);
  const then = (await ranksAt(topper, window))[ranked.rank - 1] ?? null;
  // Decision 31: without a reading then, metric is 0 and rank null.
  const metric = then ? shownValue(then.value, rule) : 0n;
  const change = shownValue(ranked.value, rule) - metric;
  return {
    window,
    metric,
    rank: then?.rank ?? null,
    change,
    changeRatio: metric === 0n ? null : ratio(change, metric),
  };
}

/** By topper and window: the ranks of all listed keys, requested once for all keys. */
const ranksOfTopper = new WeakMap<Topper, Map<number, Promise<Ranks>>>();

/** In the order of the listed keys; null: no reading then. */
type Ranks = readonly (RankedValue | null)[];

function ranksAt(topper: Topper, window: Interval): Promise<Ranks> {
  const known = ranksOfTopper.get(topper) ?? new Map<number, Promise<Ranks>>();
  ranksOfTopper.set(topper, known);
  const ranks = known.get(window.from) ?? askRanks(topper, window);
  known.set(window.from, ranks);
  return ranks;
}

async function askRanks({ plan, keys }: Topper, window: Interval): Promise<Ranks> {
  const selection = await selectKeys(plan);
  const listed = keys.map(({ key }) => key.row.key);
  const { ranks } = await askKeys(plan, window, { kind: 'ranks', ...selection, keys: listed });
  return ranks;
}

export type Drilldown<Crosskey = Guid> = {
  crosskey: Crosskey;
  meterIndex: number;
  maxItems: number;
};

/**
 * Returns the top keys of a cross-key group under this key, for the same window and probe but
 * without the filter. null: networks have no drill-downs. Error: the group is not a drill-down of
 * this key's group.
 */
export async function drillDown(
  scope: RequestScope,
  { topper: { plan }, key }: RankedKey,
  { crosskey, ...listed }: Drilldown,
): Promise<Topper | null> {
  if (plan.prefix) return null;
  const group = chosenDrilldown(await drilldownsOf(key.group), crosskey);
  return topperWithin(scope, key, plan, { ...listed, group });
}

/** crosskey: null is the only drill-down of the key's group. */
export type KeyDrilldown = Drilldown<Guid | null> & {
  readonly window: WindowRequest;
  readonly probe: string | null;
  /** IANA name. */
  readonly timeZone: string;
};

/**
 * Does the same for a key that no topper needs to list: it may have no value, or zero. The window
 * refers to the data of the cross-key group. Errors: those of drillDown, an invalid window or
 * probe, and several drill-downs without a choice.
 */
export async function drillDownKey(
  scope: RequestScope,
  key: KeyView,
  { window: requested, probe, timeZone, crosskey, ...listed }: KeyDrilldown,
): Promise<Topper> {
  const group = chosenDrilldown(await drilldownsOf(key.group), crosskey);
  const probeId = await probeIdOf(group.at, probe);
  const { window } = await windowOf(scope, group, { requested, timeZone, probeId });
  return topperWithin(scope, key, { window, probeId, deadline: null }, { ...listed, group });
}

type Within = Omit<Drilldown, 'crosskey'> & { readonly group: CounterGroupView };

async function topperWithin(
  scope: RequestScope,
  { group: outer, row }: KeyView,
  { window, probeId, deadline }: Pick<TopperPlan, 'window' | 'probeId' | 'deadline'>,
  { group, meterIndex, maxItems }: Within,
): Promise<Topper> {
  checkMaxItems(maxItems, scope.settings.maxTopperItems, 'maxItems');
  const { meter, aggregate } = rankableMeter(group, meterIndex);
  const available = await availableInterval(group, probeId);
  const plan = planOf({
    meter,
    aggregate,
    window,
    probeId,
    maxItems,
    withoutCount: false,
    deadline,
    ranking: BY_METRIC,
    available,
    prefix: null,
    filter: null,
    within: { group: outer, key: row.key },
  });
  return loadTopper(plan);
}

function chosenDrilldown(
  groups: readonly CounterGroupView[],
  crosskey: Guid | null,
): CounterGroupView {
  if (crosskey === null) {
    const only = groups.length === 1 ? groups[0] : undefined;
    if (only) return only;
    throw malformed('crosskey', "the GUID of one of the group's drilldowns", crosskey);
  }
  const found = groups.find(({ guid }) => guid === crosskey);
  if (!found) throw serviceError('invalidCounterGroup', { guid: crosskey });
  return found;
}
