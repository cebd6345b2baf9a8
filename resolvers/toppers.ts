import type { Exact } from '../domain/exact.ts';
import { compareRanked, largest } from '../domain/rank-keys.ts';
import { combine, isListable, shownTotal } from '../domain/topper-arithmetic.ts';
import { filterable, type KeyView } from './keys.ts';
import type { KeyReading } from './loaders/key-readings.ts';
import type { RequestScope } from './request-scope.ts';
import { planTopper, readingsOf, type TopperPlan, type TopperRequest } from './topper-plan.ts';

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
  const { counted, passing } = await candidateReadings(plan);
  const listed = await rankedKeys(plan, passing);
  const isListed = new Set(listed.map(({ reading }) => reading));
  const unlisted = (readings: readonly KeyReading[]) =>
    combine(valuesOf(readings.filter((reading) => !isListed.has(reading))), plan.fold);
  const keys: RankedKey[] = [];
  const topper: Topper = {
    plan,
    total: combine(valuesOf(counted), plan.fold),
    others: unlisted(counted),
    othersMatching: unlisted(passing),
    keyCount: passing.length,
    keys,
  };
  for (const [index, { key, value }] of listed.entries()) {
    keys.push({ topper, rank: index + 1, key, value });
  }
  return topper;
}

const valuesOf = (readings: readonly KeyReading[]): Exact[] => readings.map(({ value }) => value);

/** The readings of every key that counts at all, and of those that pass the filter. */
export async function candidateReadings(
  plan: TopperPlan,
): Promise<{ counted: KeyReading[]; passing: KeyReading[] }> {
  const { loaders } = plan.meter.group.at;
  const readings = await readingsOf(plan, plan.window);
  const inGroup = readings.sliceIds.length > 0 ? await loaders.keyReadings.load(readings) : [];
  const within = await keysWithin(plan);
  const concerned = within ? readingsWithin(inGroup, within) : inGroup;
  const counted = concerned.filter(({ value }) => isListable(value, plan.fold));
  return { counted, passing: await passingReadings(plan, counted) };
}

/** Readings by key, made once for all drill-downs into the same group and window. */
const indexes = new WeakMap<readonly KeyReading[], ReadonlyMap<string, KeyReading>>();

/** Those of the few keys, without looking at all others for every drill-down. */
function readingsWithin(
  inGroup: readonly KeyReading[],
  within: ReadonlyMap<string, KeyId>,
): KeyReading[] {
  const index = indexes.get(inGroup) ?? new Map(inGroup.map((each) => [idOf(each), each]));
  indexes.set(inGroup, index);
  return [...within.keys()].flatMap((id) => index.get(id) ?? []);
}

export const idOf = ({ shard, keyId }: { shard: number; keyId: number }): string =>
  `${shard} ${keyId}`;

/**
 * Decision 31: the cross-keys that have the key in any position whose part group is the key's
 * group, each counted once. null: the plan is no drill-down.
 */
export async function keysWithin(plan: TopperPlan): Promise<ReadonlyMap<string, KeyId> | null> {
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
  return new Map(found.flat().map((id) => [idOf(id), id]));
}

type KeyId = { readonly shard: number; readonly keyId: number };

async function passingReadings(
  { passes, meter, bound }: TopperPlan,
  counted: readonly KeyReading[],
): Promise<KeyReading[]> {
  if (!passes) return [...counted];
  const { group } = meter;
  const rows = await group.at.loaders.groupKeys.load({ ...group.keys, bound });
  const passing = new Set(
    rows.filter((row) => passes(filterable({ group, row }))).map((row) => idOf(row)),
  );
  return counted.filter((reading) => passing.has(idOf(reading)));
}

type Placed = { reading: KeyReading; key: KeyView; value: Exact };

/** Decision 24. Keys are looked up for the candidates only: the listed ones and their equals. */
async function rankedKeys(plan: TopperPlan, passing: readonly KeyReading[]): Promise<Placed[]> {
  const placed = await withKeys(plan, largest(passing, plan.maxItems));
  return placed.sort(byRank).slice(0, plan.maxItems);
}

const byRank = (a: Placed, b: Placed): number =>
  compareRanked({ value: a.value, key: a.key.row.key }, { value: b.value, key: b.key.row.key });

/** The readings with their keys, which are read at one go. */
export async function withKeys(
  { meter: { group }, bound }: TopperPlan,
  readings: readonly KeyReading[],
): Promise<Placed[]> {
  const rows = await Promise.all(
    readings.map(({ shard, keyId }) =>
      group.at.loaders.keyById.load({ group: group.keys, shard, keyId, bound }),
    ),
  );
  return readings.map((reading, index) => {
    const row = rows[index];
    if (!row) throw new Error(`samples name a key that is not there: ${idOf(reading)}`);
    return { reading, key: { group, row }, value: reading.value };
  });
}

/** Decision 25, as the surfaces show it. */
export const shownOthers = (topper: Topper): bigint => shownTotal(topper.others, topper.plan.rule);
