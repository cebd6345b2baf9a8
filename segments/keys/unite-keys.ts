import { runWhole, type Sliced } from '../../domain/sliced.ts';
import type { KeyList } from './key-list.ts';
import { type Allocate, allocateWords, KeyListBuilder, ownMemory } from './key-list-builder.ts';
import { fillPositions } from './merge-runs.ts';
import { uniteCoded } from './unite-coded.ts';
import { uniteWords } from './unite-words.ts';

export type UnitedKeys = {
  /** The distinct keys of all lists. */
  readonly keys: KeyList;
  /** For each list, by ordinal of a key in it: the key's ordinal in `keys`. */
  readonly maps: readonly Uint32Array[];
};

/**
 * Returns the sorted distinct keys of several lists. Sorted keys are merged, never hashed: a hash
 * table of millions of keys misses the cache with each key, which is several times slower. The
 * result lies in memory from `allocate`. For a single list, if any memory will do, it is that list.
 */
export const uniteKeys = (lists: readonly KeyList[], allocate = ownMemory): UnitedKeys =>
  runWhole(uniteInSlices(lists, allocate));

export function* uniteInSlices(lists: readonly KeyList[], allocate: Allocate): Sliced<UnitedKeys> {
  const [only, another] = lists;
  if (only === undefined) return { keys: emptyList(allocate), maps: [] };
  // Nothing to merge. A copy is needed only if the keys must lie in other memory.
  if (another === undefined && allocate === ownMemory) {
    return { keys: only, maps: [ownPositions(only.count)] };
  }
  const { run, maps } =
    (yield* uniteWords(lists, allocate)) ?? (yield* uniteCoded(lists, allocate));
  return { keys: run, maps };
}

const emptyList = (allocate: Allocate): KeyList =>
  new KeyListBuilder({ keys: 0, bytes: 0 }, allocate).finish();

function ownPositions(count: number): Uint32Array {
  const positions = allocateWords(ownMemory, count);
  fillPositions(positions);
  return positions;
}
