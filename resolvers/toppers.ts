import type { Exact } from '../domain/exact.ts';
import { groupBy } from '../domain/group-by.ts';
import type { Interval } from '../domain/interval.ts';
import { compareRanked } from '../domain/rank-keys.ts';
import { combine, shownTotal } from '../domain/topper-arithmetic.ts';
import type { KeyView } from './keys.ts';
import type { Answer, KeyPlace, KeySelection, Question } from './loaders/topper-answers.ts';
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
  const answer = await askKeys(plan, plan.window, {
    ...{ kind: 'top', maxItems: plan.maxItems },
    ...selection,
  });
  if (answer.kind !== 'top') throw new Error('the kernel answered another question');
  const placed = (await withKeys(plan, answer.candidates)).sort(byRank);
  const unlisted = placed.slice(plan.maxItems).map(({ value }) => value);
  const others = (rest: Exact | null) =>
    combine(rest === null ? unlisted : [rest, ...unlisted], plan.fold);
  const keys: RankedKey[] = [];
  const topper: Topper = {
    plan,
    total: answer.total,
    others: others(answer.rest),
    othersMatching: others(answer.restPassing),
    keyCount: answer.keyCount,
    keys,
  };
  for (const [index, { key, value }] of placed.slice(0, plan.maxItems).entries()) {
    keys.push({ topper, rank: index + 1, key, value });
  }
  return topper;
}

/** Asks about all keys of the plan's meter in an interval. */
export const askKeys = (
  { meter, bound, ...plan }: TopperPlan,
  interval: Interval,
  question: Question,
): Promise<Answer> => {
  const { at } = meter.group;
  const read = readOf({ meter, bound, ...plan }, interval);
  return at.loaders.topperAnswers.load({ contextId: at.contextId, read, question, bound });
};

/** Which keys count, and which of them may be listed. */
export async function selectKeys(plan: TopperPlan): Promise<KeySelection> {
  const { passing, meter, bound } = plan;
  const { at, row, keys } = meter.group;
  const [within, bits] = await Promise.all([
    keysWithin(plan),
    passing &&
      at.loaders.passingKeys.load({
        ...{ contextId: at.contextId, group: keys, shardCount: row.shard_count, bound },
        ...passing,
      }),
  ]);
  return { within, passing: bits };
}

/**
 * Decision 31: the cross-keys that have the key in any position whose part group is the key's
 * group, each counted once. null: the plan is no drill-down.
 */
export async function keysWithin(plan: TopperPlan): Promise<readonly KeyPlace[] | null> {
  const { within, meter, bound } = plan;
  if (!within) return null;
  const { group } = meter;
  const positions = (group.crosskey?.guids ?? []).flatMap((guid, place) =>
    guid === within.group.guid ? [place + 1] : [],
  );
  const found = await Promise.all(
    positions.map((position) =>
      group.at.loaders.crossKeys.load({
        groupId: group.row.group_id,
        position,
        part: within.key,
        bound,
      }),
    ),
  );
  const places = groupBy(found.flat(), ({ shard, keyId }) => `${shard} ${keyId}`);
  return [...places.values()].flatMap(([place]) => place ?? []);
}

type Placed = { key: KeyView; value: Exact };

/** Decision 24: between equals the key decides, so their texts are looked up too. */
const byRank = (a: Placed, b: Placed): number =>
  compareRanked({ value: a.value, key: a.key.row.key }, { value: b.value, key: b.key.row.key });

/** Things with the place of a key, with the key itself; all are read at one go. */
export async function withKeys<Thing extends KeyPlace>(
  { meter: { group }, bound }: TopperPlan,
  things: readonly Thing[],
): Promise<(Thing & { key: KeyView })[]> {
  const { at, keys } = group;
  const rows = await at.loaders.keysById.load({
    ...{ contextId: at.contextId, group: keys, places: things, bound },
  });
  return things.map((thing, index) => {
    const row = rows[index];
    if (!row)
      throw new Error(`readings name a key that is not there: ${thing.shard} ${thing.keyId}`);
    return { ...thing, key: { group, row } };
  });
}

/** Decision 25, as the surfaces show it. */
export const shownOthers = (topper: Topper): bigint => shownTotal(topper.others, topper.plan.rule);
