import type { Exact } from '../domain/exact.ts';
import type { Interval } from '../domain/interval.ts';
import { shownTotal } from '../domain/topper-arithmetic.ts';
import { type KeyView, viewKeys } from './keys.ts';
import type {
  KeyAnswer,
  KeyQuestion,
  KeySelection,
  KeysWithin,
} from './loaders/answers/topper-answers.ts';
import type { RequestScope } from './request-scope.ts';
import { planTopper, readOf, type TopperPlan, type TopperRequest } from './topper-plan.ts';

/** A key in its place. rank counts the keys that pass the filter, from 1. */
export type RankedKey = {
  readonly topper: Topper;
  readonly rank: number;
  readonly key: KeyView;
  readonly value: Exact;
};

/** Totals are exact; null where nothing has a reading. */
export type Topper = {
  readonly plan: TopperPlan;
  readonly total: Exact | null;
  /** All keys that are not listed, also those the filter kept out (decision 25). */
  readonly others: Exact | null;
  /** Those of them that pass the filter. */
  readonly othersMatching: Exact | null;
  /** How many keys had a reading and passed the filter. */
  readonly keyCount: number;
  readonly keys: readonly RankedKey[];
};

export const askTopper = async (scope: RequestScope, request: TopperRequest): Promise<Topper> =>
  loadTopper(await planTopper(scope, request));

/** The K largest keys, and what the rest comes to. */
export async function loadTopper(plan: TopperPlan): Promise<Topper> {
  const selection = await selectKeys(plan);
  const question = { kind: 'top', maxItems: plan.maxItems, ...selection } as const;
  const answer = await askKeys(plan, plan.window, question);
  if (answer.kind !== 'top') throw new Error('another question was answered');
  const { listed, total, others, othersMatching, keyCount } = answer;
  const { group } = plan.meter;
  const views = await viewKeys(
    group,
    listed.map(({ key }) => key),
    plan.bound,
  );
  const keys: RankedKey[] = [];
  const topper: Topper = { plan, total, others, othersMatching, keyCount, keys };
  for (const [index, { value }] of listed.entries()) {
    keys.push({ topper, rank: index + 1, key: views[index] as KeyView, value });
  }
  return topper;
}

/** Asks about all keys of the plan's meter in an interval. */
export function askKeys(
  plan: TopperPlan,
  interval: Interval,
  question: KeyQuestion,
): Promise<KeyAnswer> {
  const { at } = plan.meter.group;
  const { bound } = plan;
  const read = readOf(plan, interval);
  return at.loaders.topperAnswers.load({ contextId: at.contextId, read, question, bound });
}

/** Which keys count, and which of them may be listed. */
export async function selectKeys(plan: TopperPlan): Promise<KeySelection> {
  const { filter, meter } = plan;
  const { at, read: group } = meter.group;
  const { contextId } = at;
  const passing = filter && (await at.loaders.passingKeys({ contextId, group, filter }));
  return { within: keysWithin(plan), passing };
}

/**
 * Decision 31: the cross-keys that have the key in any position whose part group is the key's
 * group, each counted once. null: the plan is no drill-down.
 */
export function keysWithin({ within, meter: { group } }: TopperPlan): KeysWithin | null {
  if (!within) return null;
  const parts = (group.crosskey?.guids ?? []).flatMap((guid, part) =>
    guid === within.group.guid ? [part] : [],
  );
  return { parts, key: within.key };
}

/** Decision 25, as the surfaces show it. */
export const shownOthers = (topper: Topper): bigint => shownTotal(topper.others, topper.plan.rule);
