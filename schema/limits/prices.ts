import { LIMITS } from '../../domain/limits.ts';
import { type Cost, NO_COST, plus } from './cost.ts';
import { daysOf, windowDays, windowSteps } from './window-days.ts';

/** The coerced value of an argument by its name; undefined: it was not given and has no default. */
export type Given = (name: string) => unknown;

/** Ceilings that the price of a field depends on. */
export type PriceSetting = { readonly topperItems: number };

/** The cost of a field with everything that is requested below it. */
export type Price = (given: Given, below: Cost, setting: PriceSetting) => Cost;

/**
 * The unit is a key that is read. A day of a key's readings costs about the same.
 * docs/reference/limits.md explains all this to authors of queries. Fields that are not here cost
 * as much as what is below them, in lists once for each of LIST_LENGTH objects. The objects of a
 * list cost nothing themselves: the values of an answer are counted while it is built.
 */
export const PRICES: Readonly<Record<string, Price>> = {
  'Query.contexts': listOf(() => 10),
  'Viewer.contexts': listOf(() => 10),
  'Viewer.editableContexts': listOf(() => 10),
  'Mutation.updateKeys': pageOf((given) => lengthOf(given('keys')) ?? 0),
  // It reads all slices of the context to return one.
  'Mutation.updateSlice': (_, below) => ({ ...below, fixed: below.fixed + SLICES }),
  'Query.users': pageOf((given) => lengthOf(given('names')) ?? USERS),
  'Query.audit': pageOf((given) => within(given('maxItems'), LIMITS.auditRows)),
  'AuditEntry.details': (_, below) => below,
  'Context.counterGroups': listOf((given) => lengthOf(given('guids')) ?? 20),
  'Context.slices': listOf(() => SLICES),
  'Context.alerts': listOf(() => ALERTS),
  'Context.alertSinks': pageOf(() => 10),
  'Context.alertTrial': trial,
  // Writing a rule reads all rules of the context.
  'Mutation.saveAlert': (_, below) => ({ ...below, fixed: below.fixed + ALERTS }),
  'Mutation.removeAlert': (_, below) => ({ ...below, fixed: below.fixed + ALERTS }),
  'Mutation.silenceAlert': (_, below) => ({ ...below, fixed: below.fixed + ALERTS }),
  'AlertTrial.events': listOf(() => 20),
  'Context.exporters': pageOf(() => EXPORTERS),
  'Context.views': pageOf(() => VIEWS),
  // They read all views of the context to return one.
  'Mutation.saveView': (_, below) => ({ ...below, fixed: below.fixed + VIEWS }),
  'Mutation.starView': (_, below) => ({ ...below, fixed: below.fixed + VIEWS }),
  'Context.alertEvents': pageOf((given) => within(given('first'), LIMITS.alertEventsPage)),
  // One more: the event about the keys beyond the limit.
  'Alert.firing': listOf(() => LIMITS.alertMaxKeys + 1),
  'AlertEventConnection.edges': (_, below) => below,
  'CounterGroup.drilldowns': listOf(() => DRILLDOWNS),
  'CounterGroup.keys': (given, below, setting) => {
    const page = pageOf(() => within(given('first'), LIMITS.keysPage))(given, below, setting);
    return KEY_FILTERS.some((name) => given(name))
      ? { ...page, fixed: page.fixed + SEARCH_COST }
      : page;
  },
  'Key.attributes': (_, below) => below,
  'Key.drilldown': topper,
  'KeyConnection.edges': (_, below) => below,
  'Query.nodes': (given, below) => {
    const nodeIds = lengthOf(given('ids')) ?? 0;
    return { ...times(nodeIds, below), nodeIds };
  },
  'CounterGroup.topper': topper,
  'Meter.topper': topper,
  'Subscription.topper': topper,
  'CounterGroup.topperTrend': trend,
  'Topper.keys': (_, below) => ({
    ...NO_COST,
    nodeIds: below.nodeIds,
    ranks: below.ranks,
    perKey: below.fixed,
    perKeyAndDay: below.perDay,
  }),
  // This also needs the series of the listed keys, to subtract them from the total.
  'Topper.series': (given) => ({ ...NO_COST, perDay: pointsOf(given), perKeyAndDay: 1 }),
  'Topper.flatSeries': (given) => {
    const most = given('maxPoints');
    if (typeof most !== 'number') {
      const points = pointsOf(given);
      return { ...NO_COST, perDay: points, perKeyAndDay: 1 + points };
    }
    const points = within(most, LIMITS.seriesPoints) / POINTS_OF_UNIT;
    return { ...NO_COST, fixed: points, perKey: points, perKeyAndDay: 1 };
  },
  // A ranking by change does not add these keys up, so they are added up for it.
  'Topper.matching': (_, below) => ({ ...below, perDay: 1 + below.perDay }),
  'TopperMatching.peak': () => ({ ...NO_COST, perDay: 1, ifFiltered: SEARCH_COST }),
  'TopperMatching.percentiles': (given) => {
    const ranks = lengthOf(given('ranks')) ?? 0;
    return { ...NO_COST, fixed: ranks, perDay: 1, ranks, ifFiltered: SEARCH_COST };
  },
  'TopperMatching.series': (given) => ({
    ...NO_COST,
    perDay: 1 + pointsOf(given),
    ifFiltered: SEARCH_COST,
  }),
  'TopperKey.attributes': (_, below) => below,
  'TopperKey.peak': () => ({ ...NO_COST, perDay: 1 }),
  'TopperKey.percentiles': (given) => {
    const ranks = lengthOf(given('ranks')) ?? 0;
    return { ...NO_COST, fixed: ranks, perDay: 1, ranks };
  },
  'TopperKey.series': (given) => ({ ...NO_COST, perDay: 1 + pointsOf(given) }),
  'TopperKey.previous': () => ({ ...NO_COST, fixed: 1, perDay: 1 }),
  'TopperKey.drilldowns': (given, below, setting) =>
    times(lengthOf(given('by')) ?? DRILLDOWNS, drilldownCost(itemsOf(given, setting), below)),
  'TopperKey.drilldown': (given, below, setting) => drilldownCost(itemsOf(given, setting), below),
};

/** Each drill-down of each key is a plan and a question of its own, all of them at once. */
const drilldownCost: typeof topperCost = (items, below) =>
  plus({ ...NO_COST, fixed: DRILLDOWN_COST }, topperCost(items, below));

/** So that some ten thousand are allowed at most: 100,000 of them fill 512 MB. */
const DRILLDOWN_COST = 50;

/** The assumed number of rules of a context. */
const ALERTS = 20;

/** The fewest keys that a trial compares in each window. */
const TRIED_KEYS = 100;

/** The assumed number of users and groups. */
const USERS = 100;

/** The assumed number of exporters of a context. */
const EXPORTERS = 20;

/** The assumed number of saved views of a context. */
const VIEWS = 20;

/** The assumed number of cross-key groups with a group. */
const DRILLDOWNS = 5;

/** The assumed number of slices of a context. */
const SLICES = 100;

/**
 * The cost of a search: it reads all keys of the group, however many it lists. A ranking by series
 * may do so too, and rolling keys up to networks and adding filtered keys up by step always do.
 */
const SEARCH_COST = 1_000;

/** The arguments of `keys` that select some of the keys. */
const KEY_FILTERS = ['search', 'match', 'cidr', 'window'];

const RANKINGS_BY_SERIES: ReadonlySet<unknown> = new Set(['peak', 'percentile']);

/** The assumed length of a list of objects whose length is unknown until it is read. */
const LIST_LENGTH = 10;

export const LIST_PRICE: Price = listOf(() => LIST_LENGTH);

function listOf(length: (given: Given) => number): Price {
  return (given, below) => times(length(given), below);
}

/** A list whose objects are rows that are read, or written, for this field: one unit for each. */
function pageOf(length: (given: Given) => number): Price {
  return (given, below) => times(length(given), { ...below, fixed: 1 + below.fixed });
}

/** Nothing below a list depends on an outer topper's keys or days: its own topper fixed them. */
const times = (length: number, below: Cost): Cost => ({
  ...below,
  fixed: product(length, below.fixed),
  perDay: product(length, below.perDay),
});

/** Costs may be infinite; zero times an infinite cost is still zero. */
const product = (count: number, cost: number): number => (count === 0 ? 0 : count * cost);

/** A topper knows its window, so its cost is a number. */
function topper(given: Given, below: Cost, setting: PriceSetting): Cost {
  const { fixed, perDay, nodeIds, ranks } = topperCost(itemsOf(given, setting), below);
  const days = windowDays(given('window'));
  const ranking = RANKINGS_BY_SERIES.has(given('rankBy')) ? SEARCH_COST : 0;
  const networks = given('prefix') ? SEARCH_COST : 0;
  const search = ranking + networks + filteredCost(given, below);
  return { ...NO_COST, fixed: fixed + days * perDay + search, nodeIds, ranks };
}

/** A trend costs as much as the toppers of all its steps. */
function trend(given: Given, below: Cost, setting: PriceSetting): Cost {
  const { fixed, perDay, nodeIds, ranks } = topperCost(itemsOf(given, setting), below);
  const every = within(given('every'), Number.POSITIVE_INFINITY);
  const steps = windowSteps(given('window'), every);
  const days = Math.min(daysOf(every), windowDays(given('window')));
  // Its steps do not overlap: together they read the group once.
  const search = filteredCost(given, below);
  return { ...NO_COST, fixed: steps * (fixed + days * perDay) + search, nodeIds, ranks };
}

const filteredCost = (given: Given, { ifFiltered }: Cost): number =>
  given('filter') ? ifFiltered : 0;

/** What the price of a trial depends on. */
type TriedRule = {
  readonly [field in 'windowSeconds' | 'maxKeys' | 'condition' | 'threshold']?: unknown;
};

/**
 * Each of its windows costs as much as a topper of the keys that may fire, or that are asked for:
 * of five minutes, which most groups have.
 */
function trial(given: Given, below: Cost): Cost {
  const windows = Math.min(LIMITS.trialWindows, windowDays(given('window')) * POINTS_OF_UNIT);
  const { windowSeconds, maxKeys, condition, threshold } = (given('alert') ?? {}) as TriedRule;
  const days = windowSeconds == null ? 1 : daysOf(within(windowSeconds, Number.POSITIVE_INFINITY));
  const firing = maxKeys == null ? TRIED_KEYS : within(maxKeys, LIMITS.alertMaxKeys);
  const top = condition === 'key_in_top' ? within(threshold, LIMITS.alertKeys) : 0;
  const keys = Math.max(TRIED_KEYS, firing, top);
  return { ...below, fixed: below.fixed + windows * (keys + days) };
}

/** One unit for each day added up and for each key; a drill-down has its topper's window. */
function topperCost(items: number, below: Cost): Cost {
  return {
    ...NO_COST,
    fixed: items + below.fixed + product(items, below.perKey),
    perDay: 1 + below.perDay + product(items, below.perKeyAndDay),
    nodeIds: below.nodeIds,
    ranks: below.ranks,
  };
}

const itemsOf = (given: Given, { topperItems }: PriceSetting): number =>
  within(given('maxItems'), topperItems);

/** A number out of range costs as much as the end of the range: its field refuses it. */
const within = (given: unknown, most: number): number =>
  typeof given === 'number' ? Math.min(most, Math.max(0, given)) : most;

/** A single value counts as a list of one. null: not given. */
function lengthOf(given: unknown): number | null {
  if (given === undefined || given === null) return null;
  return Array.isArray(given) ? given.length : 1;
}

/** The points that cost one unit: those of a day with the usual topper bucket. */
const POINTS_OF_UNIT = 288;

function pointsOf(given: Given): number {
  const step = given('step');
  // The default is the topper bucket, which is not known here.
  if (typeof step !== 'number') return 1;
  return 86_400 / Math.max(1, step) / POINTS_OF_UNIT;
}
