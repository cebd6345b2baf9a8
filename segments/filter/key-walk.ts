import type { Sliced } from '../../domain/sliced.ts';
import { type KeyList, keyStart } from '../keys/key-list.ts';
import {
  ACCEPTED_KEY,
  FIRST_KEY_STATE,
  type KeyAutomaton,
  NOT_KNOWN,
  UNDECIDED_KEY,
} from './automata/key-automaton.ts';
import { addKey, addWithin, type KeySet, nextKey, wordMask } from './key-set.ts';

type KeyWalkOptions = {
  readonly automaton: KeyAutomaton;
  readonly keys: KeyList;
  /** The keys to test, all of which begin at the same offset. */
  readonly among: KeySet;
  /** Receives the accepted keys. */
  readonly found: KeySet;
  readonly decide: (keys: KeyList, ordinal: number) => boolean;
};

/** Keys from `from` to before `to`, which share their first `depth` bytes. */
type Run = {
  readonly from: number;
  readonly to: number;
  readonly depth: number;
  /** The state after these bytes. */
  readonly state: number;
};

/** So few keys that all of them may well differ in their next byte. */
const FEW_KEYS = 256;

/** After so many keys, or so many instructions visited to make states, work can be interrupted. */
const PART = { keys: 4096, work: 50_000 } as const;

/**
 * Sorted keys form a tree: keys with a common prefix are adjacent. The prefix is read once, and if
 * it decides the result, none of the keys is read. When few keys are left, each is read to its end:
 * one table lookup per byte, without an unpredictable branch, costs less than finding out how much
 * a key shares with its neighbours.
 */
export class KeyWalk {
  readonly #options: KeyWalkOptions;
  /** The remaining work, in any order. */
  readonly #runs: Run[] = [];
  /** Number of keys read since the last interruption, and the automaton's work until then. */
  #keys = 0;
  #workBefore = 0;

  constructor(options: KeyWalkOptions) {
    this.#options = options;
  }

  /** Tests all keys. Errors: TooManyStates. */
  *find(start: number): Sliced<void> {
    const { automaton, keys } = this.#options;
    this.#runs.push({ from: 0, to: keys.count, depth: 0, state: start });
    for (let run = this.#runs.pop(); run; run = this.#runs.pop()) {
      this.#findIn(run);
      if (this.#keys < PART.keys && !this.#hasWorked) continue;
      yield;
      this.#keys = 0;
      this.#workBefore = automaton.work;
    }
  }

  /** Whether so many states were made that the rest of a run becomes a run of its own. */
  get #hasWorked(): boolean {
    return this.#options.automaton.work - this.#workBefore >= PART.work;
  }

  #findIn({ from: first, to, depth: known, state: reached }: Run): void {
    const { keys, among, found, automaton } = this.#options;
    let from = nextKey(among, first);
    let depth = known;
    let state = reached;
    while (from < to) {
      if (state < FIRST_KEY_STATE) {
        this.#settle({ from, to, depth, state });
        return;
      }
      if (this.#hasWorked) {
        this.#runs.push({ from, to, depth, state });
        return;
      }
      // Of the keys with this common prefix, only the first can end here.
      if ((keys.ends[from] as number) - keyStart(keys, from) === depth) {
        if (automaton.ends[state] === 1) addKey(found, from);
        from = nextKey(among, from + 1);
      } else if (this.#byteAt(from, depth) === this.#byteAt(to - 1, depth)) {
        state = this.#step(state, from, depth);
        depth += 1;
      } else {
        if (to - from <= FEW_KEYS) this.#readEach({ from, to, depth, state });
        else this.#divide({ from, to, depth, state });
        return;
      }
    }
  }

  /** Settles a run whose keys are all accepted, rejected or undecided. */
  #settle({ from, to, depth, state }: Run): void {
    const { keys, among, found, decide } = this.#options;
    if (state === ACCEPTED_KEY) addWithin(found, among, { from, to });
    if (state !== UNDECIDED_KEY) return;
    let i = from;
    for (; i < Math.min(to, from + FEW_KEYS); i = nextKey(among, i + 1)) {
      if (decide(keys, i)) addKey(found, i);
    }
    // It takes microseconds to decide about a key.
    this.#keys += PART.keys;
    if (i < to) this.#runs.push({ from: i, to, depth, state });
  }

  #divide({ from, to, depth, state }: Run): void {
    const { among } = this.#options;
    for (let i = from; i < to; ) {
      const end = this.#endOfRun(i, to, depth);
      this.#runs.push({ from: i, to: end, depth: depth + 1, state: this.#step(state, i, depth) });
      i = nextKey(among, end);
    }
  }

  /** Returns the end of the keys that have the same byte at `depth`. */
  #endOfRun(ordinal: number, count: number, depth: number): number {
    const byte = this.#byteAt(ordinal, depth);
    let step = 1;
    while (ordinal + step < count && this.#byteAt(ordinal + step, depth) === byte) step *= 2;
    let from = ordinal + (step >>> 1) + 1;
    let to = Math.min(count, ordinal + step);
    while (from < to) {
      const middle = (from + to) >>> 1;
      if (this.#byteAt(middle, depth) === byte) from = middle + 1;
      else to = middle;
    }
    return from;
  }

  #byteAt(ordinal: number, depth: number): number {
    const { keys } = this.#options;
    return keys.bytes[keyStart(keys, ordinal) + depth] as number;
  }

  #step(state: number, ordinal: number, depth: number): number {
    const { automaton, keys } = this.#options;
    return automaton.follow(state, keys.bytes, keyStart(keys, ordinal) + depth);
  }

  #readEach({ from, to, depth, state: reached }: Run): void {
    const { automaton, keys, among, found, decide } = this.#options;
    const { bytes, ends } = keys;
    let { table, ends: accepts } = automaton;
    this.#keys += to - from;
    for (let word = from >>> 5; 32 * word < to; word += 1) {
      let accepted = 0;
      let isCut = false;
      let left = (among.words[word] as number) & wordMask(word, { from, to });
      for (; left !== 0 && !isCut; left &= left - 1) {
        const bit = 31 - Math.clz32(left & -left);
        const ordinal = 32 * word + bit;
        const start = ordinal === 0 ? 0 : (ends[ordinal - 1] as number);
        const end = ends[ordinal] as number;
        let state = reached;
        for (let at = start + depth; at < end; at += 1) {
          state = table[(state << 8) | (bytes[at] as number)] as number;
        }
        if (state === NOT_KNOWN) {
          state = this.#readOn({ from: ordinal, to, depth, state: reached });
          isCut = state === NOT_KNOWN;
          // Both arrays are replaced when they grow.
          ({ table, ends: accepts } = automaton);
        }
        accepted |= (accepts[state] as number) << bit;
        if (state === UNDECIDED_KEY && decide(keys, ordinal)) accepted |= 1 << bit;
      }
      found.words[word] = (found.words[word] as number) | accepted;
      if (isCut) return;
    }
  }

  /**
   * Returns the state after the first key of a run, for which the table does not have all states.
   * NOT_KNOWN: that is too much work, and the rest of the key and of the run are read later.
   */
  #readOn({ from, to, depth, state: reached }: Run): number {
    const { automaton, keys } = this.#options;
    const start = keyStart(keys, from);
    const end = keys.ends[from] as number;
    let state = reached;
    for (let at = start + depth; at < end && state >= FIRST_KEY_STATE; at += 1) {
      if (this.#hasWorked) {
        this.#runs.push({ from: from + 1, to, depth, state: reached });
        this.#runs.push({ from, to: from + 1, depth: at - start, state });
        return NOT_KNOWN;
      }
      state = automaton.follow(state, keys.bytes, at);
    }
    return state;
  }
}
