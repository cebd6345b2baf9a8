import type { KeyList } from './key-list.ts';
import { type Allocate, KeyListBuilder, ownMemory } from './key-list-builder.ts';
import { uniteCoded } from './unite-coded.ts';
import { uniteWords } from './unite-words.ts';

export type UnitedKeys = {
  /** The distinct keys of all lists. */
  readonly keys: KeyList;
  /** For each list, by the ordinal of a key in it, the key's ordinal in `keys`. */
  readonly maps: readonly Uint32Array[];
};

/**
 * The sorted distinct keys of several lists. Sorted keys are merged, never hashed: a hash table of
 * millions of keys misses the cache with each, which is several times slower. The result
 * lies in memory of `allocate`.
 */
export function uniteKeys(lists: readonly KeyList[], allocate = ownMemory): UnitedKeys {
  if (lists.length === 0) return { keys: emptyList(allocate), maps: [] };
  const { run, maps } = uniteWords(lists, allocate) ?? uniteCoded(lists, allocate);
  return { keys: run, maps };
}

const emptyList = (allocate: Allocate): KeyList =>
  new KeyListBuilder({ keys: 0, bytes: 0 }, allocate).finish();
