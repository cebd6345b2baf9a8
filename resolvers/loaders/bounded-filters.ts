import { type KeyTextsRow, selectKeyTexts } from '../../db/queries/select-key-texts.ts';
import {
  type KeysInRangesRow,
  selectKeysInRanges,
} from '../../db/queries/select-keys-in-ranges.ts';
import type { TimeBound } from '../../db/read-session.ts';
import { groupBy } from '../../domain/group-by.ts';
import type { KeyBounds } from '../../domain/key-bounds.ts';
import {
  addAllKeys,
  addKey,
  emptyKeyBits,
  growKeyBits,
  type KeyBits,
  removeKey,
} from '../../topk/key-bits.ts';
import type { KnownFilter } from './filter-memory.ts';
import type { ContextState, NodeReader } from './node-reader.ts';
import { pause } from './turns.ts';

/** A filter of which it is known where the keys are that it has to look at. */
export type BoundedFilter = {
  readonly state: ContextState;
  /** Group and filter, as the filter is remembered. */
  readonly name: string;
  readonly groupId: number;
  readonly shardCount: number;
  readonly bounds: KeyBounds;
  readonly passes: (key: string) => boolean;
};

/**
 * The keys that pass each filter. Of one that is met for the first time only the keys in its
 * ranges are read, all in one statement; of one that is remembered those that are new since.
 */
export async function passingBounded(
  reader: NodeReader,
  filters: readonly BoundedFilter[],
  bound: TimeBound | null,
): Promise<KeyBits[]> {
  const { filters: memory } = reader.memory;
  const met = new Map<BoundedFilter, KnownFilter>();
  for (const filter of filters) {
    const known = memory.find(filter.name);
    if (known) met.set(filter, known);
    memory.tally.count(known ? 1 : 0, known ? 0 : 1);
  }
  const [unknown, behind] = [
    filters.filter((filter) => !met.has(filter)),
    filters.filter((filter) => isBehind(met.get(filter), filter)),
  ];
  for (const [filter, found] of await meet(reader, unknown, bound)) met.set(filter, found);
  for (const [filter, found] of await catchUp(reader, behind, met, bound)) met.set(filter, found);
  return filters.map((filter) => {
    const found = met.get(filter);
    if (!found) throw new Error('the keys of a filter were not read');
    return found.bits;
  });
}

const isBehind = (known: KnownFilter | undefined, { state }: BoundedFilter): boolean =>
  known !== undefined && known.version < state.versions.version;

type Found = readonly (readonly [BoundedFilter, KnownFilter])[];

async function meet(
  reader: NodeReader,
  filters: readonly BoundedFilter[],
  bound: TimeBound | null,
): Promise<Found> {
  if (filters.length === 0) return [];
  const reads = filters.map(({ groupId, shardCount, bounds: { ranges, isExact } }) => ({
    ...{ groupId, shardCount, ranges },
    withTexts: !isExact,
  }));
  const rows = groupBy(await selectKeysInRanges(reader.session, reads, bound), ({ read }) => read);
  return Promise.all(
    filters.map(async (filter, place) => {
      const ofFilter = rows.get(place) ?? [];
      const sizes = Array.from({ length: filter.shardCount }, () => 0);
      for (const { shard, last } of ofFilter) sizes[shard] = last + 1;
      const bits = await decide(filter, ofFilter, sizes);
      return [filter, remember(reader, filter, { bits, sizes })] as const;
    }),
  );
}

/** Takes in, or leaves out, what the ranges are about. */
async function decide(
  { bounds: { side, isExact }, passes }: BoundedFilter,
  rows: readonly KeysInRangesRow[],
  sizes: readonly number[],
): Promise<KeyBits> {
  const isInside = side === 'inside';
  const bits = emptyKeyBits(sizes);
  if (!isInside) addAllKeys(bits);
  for (const { shard, keyIds, texts } of rows) {
    for (const [place, keyId] of keyIds.entries()) {
      if (isExact || passes(texts[place] ?? '') === isInside) {
        if (isInside) addKey(bits, shard, keyId);
        else removeKey(bits, shard, keyId);
      }
      if ((place & 255) === 0) await pause();
    }
  }
  return bits;
}

/** Looks at the keys that have come since a filter was remembered. */
async function catchUp(
  reader: NodeReader,
  filters: readonly BoundedFilter[],
  known: ReadonlyMap<BoundedFilter, KnownFilter>,
  bound: TimeBound | null,
): Promise<Found> {
  if (filters.length === 0) return [];
  const before = filters.map((filter) => known.get(filter) ?? NOTHING);
  const reads = filters.map(({ groupId }, place) => ({
    groupId,
    after: (before[place]?.sizes ?? []).map((size, shard) => ({ shard, keyId: size - 1 })),
  }));
  const rows = groupBy(await selectKeyTexts(reader.session, reads, bound), ({ read }) => read);
  return Promise.all(
    filters.map(async (filter, place) => {
      const found = await extend(before[place] ?? NOTHING, rows.get(place) ?? [], filter.passes);
      return [filter, remember(reader, filter, found)] as const;
    }),
  );
}

async function extend(
  known: KnownFilter,
  added: readonly KeyTextsRow[],
  passes: (key: string) => boolean,
): Promise<Omit<KnownFilter, 'version'>> {
  // Where nothing is new it stays the same set, by which answers are remembered.
  if (added.length === 0) return known;
  const sizes = [...known.sizes];
  for (const { shard, keyIds } of added) sizes[shard] = (keyIds.at(-1) ?? -1) + 1;
  const bits = growKeyBits(known.bits, sizes);
  for (const { shard, keyIds, texts } of added) {
    for (const [place, keyId] of keyIds.entries()) {
      if (passes(texts[place] ?? '')) addKey(bits, shard, keyId);
      if ((place & 255) === 0) await pause();
    }
  }
  return { bits, sizes };
}

const NOTHING: KnownFilter = { bits: emptyKeyBits([]), sizes: [], version: -1 };

/** Read in another snapshot than the version, it may lack keys that the version has. */
function remember(
  { memory, session }: NodeReader,
  { state, name }: BoundedFilter,
  found: Omit<KnownFilter, 'version'>,
): KnownFilter {
  const known = { ...found, version: state.versions.version };
  if (state.snapshot === session.snapshot) memory.filters.keep(name, known);
  return known;
}
