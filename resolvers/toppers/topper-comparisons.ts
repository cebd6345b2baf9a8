import { malformed, serviceError } from '../../domain/errors.ts';
import { LIMITS } from '../../domain/limits.ts';
import { type Interval, intersect, isEmpty } from '../../domain/time/interval.ts';
import type { WindowRequest } from '../../domain/time/window.ts';
import { BY_METRIC } from '../../domain/toppers/ranking.ts';
import { ratio, shownValue } from '../../domain/toppers/topper-arithmetic.ts';
import type { RankedValue } from '../../engine/toppers/topper-answers.ts';
import { probeIdOf } from '../contexts.ts';
import {
  availableInterval,
  type CounterGroupView,
  drilldownsOf,
  type GroupRef,
  groupOfName,
} from '../counter-groups.ts';
import type { KeyView } from '../keys.ts';
import type { RequestReads } from '../loaders/request-reads.ts';
import type { RequestScope } from '../request-scope.ts';
import { Turns } from '../turns.ts';
import { windowOf } from '../window-of.ts';
import {
  checkMaxItems,
  earlierWindow,
  planOf,
  rankableMeter,
  type TopperPlan,
} from './topper-plan.ts';
import { askKeys, loadTopper, type RankedKey, selectKeys, type Topper } from './toppers.ts';

/** An earlier window, and the part of it in which the group, or the probe, has data. */
export type ComparedWindow = { readonly window: Interval; readonly available: Interval | null };

/** metric, rank and change: null if nothing of the window is available. */
export type PreviousMetric = {
  readonly compared: ComparedWindow;
  readonly metric: bigint | null;
  readonly rank: number | null;
  readonly change: bigint | null;
  readonly changeRatio: number | null;
};

/** Returns the window that a ranking by change compares with; null for other rankings. */
export const comparedOf = ({ plan }: Topper): ComparedWindow | null =>
  'since' in plan.ranking ? comparedWindow(plan, plan.ranking.since) : null;

function comparedWindow({ available }: TopperPlan, window: Interval): ComparedWindow {
  const part = available && intersect(window, available);
  return { window, available: part && !isEmpty(part) ? part : null };
}

/**
 * Returns the values of the same key `ago` seconds earlier (null: in the window just before), with
 * the same filter and probe.
 */
export async function previousOf(ranked: RankedKey, ago: number | null): Promise<PreviousMetric> {
  const { topper } = ranked;
  const { rule } = topper.plan;
  const window = earlierWindow(topper.plan.window, ago);
  const compared = comparedWindow(topper.plan, window);
  if (compared.available === null) {
    return { compared, metric: null, rank: null, change: null, changeRatio: null };
  }
  const then = (await ranksAt(topper, window))[ranked.rank - 1] ?? null;
  // Decision 31: without a reading then, metric is 0 and rank null.
  const metric = then ? shownValue(then.value, rule) : 0n;
  const change = shownValue(ranked.value, rule) - metric;
  return {
    compared,
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

/** crosskey: the cross-key group; null is the only drill-down of the key's group. */
export type Drilldown<Crosskey extends GroupRef | null = GroupRef> = {
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

/**
 * Returns the same by each of the given cross-key groups (null: by all of its group's drill-downs,
 * by their first meter). Each fails alone.
 */
export async function drillDowns(
  scope: RequestScope,
  ranked: RankedKey,
  { by, maxItems }: { readonly by: readonly DrilledBy[] | null; readonly maxItems: number },
): Promise<Promise<Topper | null>[]> {
  const all = by ?? (await drilldownsOf(ranked.key.group)).map(firstMeterOf);
  return all.map((each) => {
    const drilled = drillDown(scope, ranked, { ...each, maxItems });
    // The list may be given up before its items are awaited.
    drilled.catch(() => undefined);
    return drilled;
  });
}

export type DrilledBy = Pick<Drilldown, 'crosskey' | 'meterIndex'>;

const firstMeterOf = ({ guid, meters }: CounterGroupView): DrilledBy => ({
  crosskey: { guid },
  meterIndex: meters[0]?.meterId ?? 0,
});

export type KeyDrilldown = Drilldown<GroupRef | null> & {
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

/**
 * The drill-downs of each request. Those of a thousand keys by twenty groups are questions of their
 * own: all at once would fill the memory.
 */
const turnsOfRequests = new WeakMap<RequestReads, Turns>();

function turnsOf(reads: RequestReads): Turns {
  const turns = turnsOfRequests.get(reads) ?? new Turns(LIMITS.drilldownsAtOnce);
  turnsOfRequests.set(reads, turns);
  return turns;
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
  return turnsOf(scope.reads).run(() => loadTopper(plan));
}

function chosenDrilldown(
  groups: readonly CounterGroupView[],
  crosskey: GroupRef | null,
): CounterGroupView {
  if (crosskey === null) {
    const only = groups.length === 1 ? groups[0] : undefined;
    if (only) return only;
    throw malformed('crosskey', "the GUID of one of the group's drilldowns", crosskey);
  }
  const found =
    'guid' in crosskey
      ? groups.find(({ guid }) => guid === crosskey.guid)
      : groupOfName(groups, crosskey.name);
  if (!found) {
    const guid = 'guid' in crosskey ? crosskey.guid : crosskey.name;
    throw serviceError('invalidCounterGroup', { guid });
  }
  return found;
}
