import type { Interval } from '../../domain/time/interval.ts';
import { type Exact, NO_READING } from '../../domain/toppers/exact.ts';
import { isCounting } from '../../domain/toppers/meter-type.ts';
import {
  combine,
  shareOf,
  shownTotal,
  shownValue,
} from '../../domain/toppers/topper-arithmetic.ts';
import type {
  AnswerOf,
  KeyQuestion,
  KeySelection,
  KeysWithin,
  RankedKeys,
  TopKeys,
} from '../../engine/toppers/topper-answers.ts';
import { partsLike } from '../counter-groups.ts';
import { type KeyView, viewKeys } from '../keys.ts';
import type { RequestScope } from '../request-scope.ts';
import { stepCount } from './series-step.ts';
import {
  planTopper,
  readOf,
  type TopperPlan,
  type TopperRequest,
  viewNetworks,
} from './topper-plan.ts';

/** A ranked key. rank counts the keys that pass the filter, from 1. */
export type RankedKey = {
  readonly topper: Topper;
  readonly rank: number;
  readonly key: KeyView;
  readonly value: Exact;
  /** The value that it was ranked by, as shown. */
  readonly rankValue: bigint;
};

type Ranked = RankedKeys['listed'][number];

/** Totals are exact; null if there is no reading. */
export type Topper = {
  readonly plan: TopperPlan;
  readonly total: Exact | null;
  /** All keys that are not listed, including those that the filter excluded (decision 25). */
  readonly others: Exact | null;
  /** The unlisted keys that pass the filter. */
  readonly othersMatching: Exact | null;
  /** Number of keys that had a reading and passed the filter; null: it was not needed. */
  readonly keyCount: number | null;
  readonly keys: readonly RankedKey[];
};

/** Answers a topper. REST and GraphQL both ask here, and only here, so their answers are equal. */
export const askTopper = async (scope: RequestScope, request: TopperRequest): Promise<Topper> =>
  loadTopper(await planTopper(scope, request));

/** Returns the first K keys, and the total of the others. */
export async function loadTopper(plan: TopperPlan): Promise<Topper> {
  const answer = await askRanking(plan, await selectKeys(plan));
  const viewOf = await viewListed(
    plan,
    answer.listed.map(({ key }) => key),
  );
  return topperOf(plan, answer, viewOf);
}

/** Returns the texts of keys in raw form, by key; a key may be given more than once. */
export async function viewListed(
  plan: TopperPlan,
  listed: readonly string[],
): Promise<(key: string) => KeyView> {
  const { group } = plan.meter;
  group.at.loaders.noteListed(listed.length);
  const keys = [...new Set(listed)];
  const views = plan.prefix
    ? viewNetworks(group, keys)
    : await viewKeys(group, keys, plan.deadline);
  const byKey = new Map(keys.map((key, i) => [key, views[i] as KeyView]));
  return (key) => byKey.get(key) as KeyView;
}

export function topperOf(
  plan: TopperPlan,
  answer: TopKeys | RankedKeys,
  viewOf: (key: string) => KeyView,
): Topper {
  const { total, others, othersMatching, keyCount } = answer;
  const listed =
    answer.kind === 'top'
      ? answer.listed.map((each) => ({ ...each, rankValue: shownValue(each.value, plan.rule) }))
      : answer.listed.map((each) => rankedKey(plan, each));
  const keys: RankedKey[] = [];
  const topper: Topper = { plan, total, others, othersMatching, keyCount, keys };
  for (const [index, { key, value, rankValue }] of listed.entries()) {
    keys.push({ topper, rank: index + 1, key: viewOf(key), value, rankValue });
  }
  return topper;
}

/** Loads the first keys of the plan's ranking. */
function askRanking(plan: TopperPlan, selection: KeySelection): Promise<TopKeys | RankedKeys> {
  const { ranking, maxItems, window, covered, aggregate, withoutCount } = plan;
  const top = { kind: 'top', maxItems, withoutCount, ...selection } as const;
  switch (ranking.by) {
    case 'metric':
      return askKeys(plan, window, top);
    case 'peak':
      // The maximum of the topper buckets' maxima is the maximum of the window.
      if (aggregate === 'max') return askKeys(plan, window, top);
      return askKeys(plan, covered, { ...selection, ...seriesOf(plan), percentile: null });
    case 'percentile':
      return askKeys(plan, covered, {
        ...selection,
        ...seriesOf(plan),
        percentile: ranking.percentile,
      });
    case 'growth':
    case 'decline':
    case 'new': {
      const changes = { kind: 'changes', change: ranking.by, since: ranking.since } as const;
      return askKeys(plan, window, { ...selection, ...changes, maxItems });
    }
    default:
      return ranking satisfies never;
  }
}

const seriesOf = (plan: TopperPlan) => ({
  kind: 'series' as const,
  bucketCount: stepCount(plan, plan.rule.topperBucketSeconds),
  maxItems: plan.maxItems,
});

function rankedKey({ ranking, rule }: TopperPlan, { key, value, compared: other }: Ranked) {
  const shown = shownTotal(value, rule);
  const compared = shownTotal(other, rule);
  // Only a decline lists keys without a reading.
  const own = { key, value: value ?? NO_READING };
  switch (ranking.by) {
    case 'growth':
      return { ...own, rankValue: shown - compared };
    case 'decline':
      return { ...own, rankValue: compared - shown };
    case 'peak':
    case 'percentile':
      return { ...own, rankValue: compared };
    case 'metric':
    case 'new':
      return { ...own, rankValue: shown };
    default:
      return ranking satisfies never;
  }
}

/** Answers a question about all keys of the plan's meter in an interval. */
export function askKeys<Question extends KeyQuestion>(
  plan: TopperPlan,
  interval: Interval,
  question: Question,
): Promise<AnswerOf<Question>> {
  const { contextId, loaders } = plan.meter.group.at;
  const { deadline } = plan;
  return loaders.askKeys({ contextId, read: readOf(plan, interval), question, deadline });
}

/** Returns the keys that count, and which of them may be listed. */
export async function selectKeys(plan: TopperPlan): Promise<KeySelection> {
  const { filter, meter, prefix } = plan;
  const { at, read: group } = meter.group;
  const { contextId } = at;
  const of = prefix ? 'networks' : 'keys';
  const passing = filter && (await at.loaders.keyMatcher({ contextId, group, filter, of }));
  return { within: keysWithin(plan), passing };
}

/**
 * Decision 31: returns the cross-keys that have the key in any position that has keys of the key's
 * group, each counted once. null: the plan is not a drill-down.
 */
export function keysWithin({ within, meter: { group } }: TopperPlan): KeysWithin | null {
  return within && { parts: partsLike(within.group, group), key: within.key };
}

/** Decision 25, as the surfaces show it. */
export const shownOthers = (topper: Topper): bigint => shownTotal(topper.others, topper.plan.rule);

/** All keys that pass the filter of a topper, together. */
export type MatchingKeys = {
  readonly topper: Topper;
  /** null: none of them has a reading. */
  readonly total: Exact | null;
  /** null: it was not needed. */
  readonly keyCount: number | null;
};

/**
 * Returns the keys that pass, together. A ranking by change lists only keys that changed so, and
 * counts no others.
 */
export async function matchingOf(topper: Topper): Promise<MatchingKeys> {
  const { plan, keys, othersMatching, keyCount } = topper;
  if (!('since' in plan.ranking)) {
    const values = keys.map(({ value }) => value);
    return { topper, total: withOthers(values, othersMatching, plan), keyCount };
  }
  const top = { kind: 'top', maxItems: 1, ...(await selectKeys(plan)) } as const;
  const all = await askKeys(plan, plan.window, top);
  const values = all.listed.map(({ value }) => value);
  return {
    topper,
    total: withOthers(values, all.othersMatching, plan),
    keyCount: all.keyCount,
  };
}

const withOthers = (
  values: readonly Exact[],
  others: Exact | null,
  { aggregate }: TopperPlan,
): Exact | null => combine(others ? [...values, others] : values, aggregate);

/** Their part of the group's total; 0 if none passes, null if values do not add up. */
export function matchingShare({ topper, total }: MatchingKeys): number | null {
  const { aggregate } = topper.plan;
  if (!isCounting(aggregate)) return null;
  return total === null ? 0 : (shareOf(total, topper.total, aggregate) ?? 0);
}
