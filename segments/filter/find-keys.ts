import type { Sliced } from '../../domain/sliced.ts';
import { type KeyList, keyStart } from '../keys/key-list.ts';
import type { KeyAutomaton } from './automata/key-automaton.ts';
import { addKey, emptyKeySet, type KeySet, nextKey, partsOfKeys } from './key-set.ts';
import { KeyWalk } from './key-walk.ts';
import type { KeyVariants } from './spelling/key-variants.ts';
import type { SpellingState } from './spelling/spelling-state.ts';

export type KeySearch = {
  readonly automaton: KeyAutomaton;
  readonly variants: KeyVariants;
  /** Returns the state before the first byte of the keys of a variant. */
  readonly startOf: (variant: number) => SpellingState;
  /** Whether a key passes if the automaton leaves it undecided. */
  readonly decide: (keys: KeyList, ordinal: number) => boolean;
};

/** Returns the keys in `among` that the automaton accepts. Errors: TooManyStates. */
export function* findKeys(search: KeySearch, keys: KeyList, among: KeySet): Sliced<KeySet> {
  const { automaton, variants, startOf, decide } = search;
  const found = emptyKeySet(keys.count);
  for (const [variant, ofVariant] of yield* setsByVariant(variants, keys, among)) {
    const walk = new KeyWalk({ automaton, keys, among: ofVariant, found, decide });
    yield* walk.find(automaton.startAt(startOf(variant)));
  }
  return found;
}

function* setsByVariant(
  variants: KeyVariants,
  keys: KeyList,
  among: KeySet,
): Sliced<Map<number, KeySet>> {
  const ofAll = variants.ofAll(keys);
  if (ofAll !== null) return new Map([[ofAll, among]]);
  const sets = new Map<number, KeySet>();
  let last = -1;
  let ofLast = among;
  for (const { from, to } of partsOfKeys(keys.count)) {
    for (let i = nextKey(among, from); i < to; i = nextKey(among, i + 1)) {
      const variant = variants.of(keys.bytes, keyStart(keys, i), keys.ends[i] as number);
      if (variant !== last) {
        last = variant;
        ofLast = sets.get(variant) ?? emptyKeySet(keys.count);
        sets.set(variant, ofLast);
      }
      addKey(ofLast, i);
    }
    yield;
  }
  return sets;
}
