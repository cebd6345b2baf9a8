import { LIMITS } from '../../domain/limits.ts';
import { type KeyList, keyStart } from '../keys/key-list.ts';
import {
  ACCEPTED_KEY,
  FIRST_KEY_STATE,
  type KeyAutomaton,
  NOT_KNOWN,
  UNDECIDED_KEY,
} from './automata/key-automaton.ts';
import { addKey, addWithin, emptyKeySet, hasKey, type KeySet, nextKey } from './key-set.ts';
import type { KeyVariants } from './spelling/key-variants.ts';
import type { Place } from './spelling/place.ts';

export type KeySearch = {
  readonly automaton: KeyAutomaton;
  readonly variants: KeyVariants;
  /** Where the keys of a variant begin. */
  readonly placeOf: (variant: number) => Place;
  /** Whether a key passes that the automaton leaves undecided. */
  readonly decide: (keys: KeyList, ordinal: number) => boolean;
};

/** So many keys in a row that are decided by the same bytes make it worth looking for the last. */
const RUN = 8;

/** Those of the keys `among` that the automaton accepts. Errors: TooManyStates. */
export function findKeys(search: KeySearch, keys: KeyList, among: KeySet): KeySet {
  const { automaton, variants } = search;
  const found = emptyKeySet(keys.count);
  const walk = new KeyWalk(search, keys);
  let inRow = 0;
  for (let i = nextKey(among, 0); i < keys.count; ) {
    const isNew = walk.read(i);
    const { state } = walk;
    if (state >= FIRST_KEY_STATE) {
      if (automaton.ends[state] === 1) addKey(found, i);
    } else if (state === UNDECIDED_KEY) {
      if (search.decide(keys, i)) addKey(found, i);
    } else if (state === ACCEPTED_KEY) addKey(found, i);
    // Keys that are undecided are decided one by one.
    inRow = isNew || state >= UNDECIDED_KEY ? 0 : inRow + 1;
    if (inRow === RUN && variants.isOne) {
      const end = walk.endOfRun(i);
      if (state === ACCEPTED_KEY) addWithin(found, among, { from: i, to: end });
      i = end;
      inRow = 0;
    } else i += 1;
    if (i < keys.count && !hasKey(among, i)) i = nextKey(among, i);
  }
  return found;
}

/**
 * Reads keys one after the other. What a key has in common with the one before it is not read
 * again: the state after each of its bytes is kept.
 */
class KeyWalk {
  readonly #search: KeySearch;
  readonly #keys: KeyList;
  readonly #starts = new Map<number, number>();
  /** The states of the key that was read last, by the number of bytes that lead there. */
  readonly #states = new Int32Array(LIMITS.crossKeyBytes + 1);
  /** How many bytes it took to reach `state`, and where they begin. */
  #depth = 0;
  #from = 0;
  #variant = -1;
  state = FIRST_KEY_STATE;

  constructor(search: KeySearch, keys: KeyList) {
    this.#search = search;
    this.#keys = keys;
  }

  /** Moves to the last state of a key; false when the key before it had reached that already. */
  read(ordinal: number): boolean {
    const from = keyStart(this.#keys, ordinal);
    const to = this.#keys.ends[ordinal] as number;
    const shared = this.#shareWithLast(from, to);
    this.#from = from;
    if (shared === this.#depth && this.state < FIRST_KEY_STATE) return false;
    this.#follow(from, from + shared, to);
    return true;
  }

  /** How many bytes need not be read again. */
  #shareWithLast(from: number, to: number): number {
    const { bytes } = this.#keys;
    const { variants, automaton, placeOf } = this.#search;
    const variant = variants.of(bytes, from, to);
    if (variant === this.#variant) {
      const most = Math.min(this.#depth, to - from);
      let shared = 0;
      while (shared < most && bytes[from + shared] === bytes[this.#from + shared]) shared += 1;
      return shared;
    }
    const start = this.#starts.get(variant) ?? automaton.startAt(placeOf(variant));
    this.#starts.set(variant, start);
    this.#variant = variant;
    this.#states[0] = start;
    this.#depth = 0;
    this.state = FIRST_KEY_STATE;
    return 0;
  }

  #follow(from: number, first: number, to: number): void {
    const { automaton } = this.#search;
    const { bytes } = this.#keys;
    const states = this.#states;
    let { table } = automaton;
    let at = first;
    let state = states[at - from] as number;
    while (at < to && state >= FIRST_KEY_STATE) {
      let next = table[(state << 8) | (bytes[at] as number)] as number;
      if (next === NOT_KNOWN) {
        next = automaton.follow(state, bytes, at);
        table = automaton.table;
      }
      state = next;
      at += 1;
      states[at - from] = state;
    }
    this.#depth = at - from;
    this.state = state;
  }

  /** Behind the last key that begins with the bytes which led to the state of this one. */
  endOfRun(ordinal: number): number {
    const { count } = this.#keys;
    let step = 1;
    while (ordinal + step < count && this.#beginsAlike(ordinal + step)) step *= 2;
    let from = ordinal + (step >>> 1) + 1;
    let to = Math.min(count, ordinal + step);
    while (from < to) {
      const middle = (from + to) >>> 1;
      if (this.#beginsAlike(middle)) from = middle + 1;
      else to = middle;
    }
    return from;
  }

  #beginsAlike(ordinal: number): boolean {
    const { bytes, ends } = this.#keys;
    const from = keyStart(this.#keys, ordinal);
    if ((ends[ordinal] as number) - from < this.#depth) return false;
    for (let i = 0; i < this.#depth; i += 1) {
      if (bytes[from + i] !== bytes[this.#from + i]) return false;
    }
    return true;
  }
}
