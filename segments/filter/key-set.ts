import type { OrdinalRange } from '../keys/key-list.ts';
import { type Allocate, allocateWords } from '../keys/key-list-builder.ts';

/**
 * A set of keys of a list. Key i is in it if bit `i & 31` of word `i >>> 5` is set. Bits beyond the
 * last key are zero.
 */
export type KeySet = { readonly count: number; readonly words: Uint32Array };

/** Allocates memory that threads share. */
export const sharedMemory: Allocate = (sizeBytes) => new SharedArrayBuffer(sizeBytes);

/** Returns an empty set for a list of `count` keys. */
export const emptyKeySet = (count: number, allocate = sharedMemory): KeySet => ({
  count,
  words: allocateWords(allocate, Math.ceil(count / 32)),
});

/** Returns the set of all keys of a list. */
export function fullKeySet(count: number, allocate = sharedMemory): KeySet {
  const set = emptyKeySet(count, allocate);
  addRange(set, { from: 0, to: count });
  return set;
}

/** Whether a key is in the set. A key beyond the capacity of the set is not in it. */
export const hasKey = ({ words }: KeySet, ordinal: number): boolean =>
  (((words[ordinal >>> 5] as number) >>> (ordinal & 31)) & 1) === 1;

export function addKey({ words }: KeySet, ordinal: number): void {
  words[ordinal >>> 5] = (words[ordinal >>> 5] as number) | (1 << (ordinal & 31));
}

export function removeKey({ words }: KeySet, ordinal: number): void {
  words[ordinal >>> 5] = (words[ordinal >>> 5] as number) & ~(1 << (ordinal & 31));
}

const ALL = 0xffff_ffff;

/** Returns a mask of the bits in a word that belong to keys in a range. */
export function wordMask(at: number, { from, to }: OrdinalRange): number {
  const head = at === from >>> 5 ? ALL << (from & 31) : ALL;
  const tail = at === to >>> 5 ? ~(ALL << (to & 31)) : ALL;
  return head & tail;
}

/** Calls `each` for every word that has bits of keys in the range, with their mask. */
function eachWord(range: OrdinalRange, each: (at: number, mask: number) => void): void {
  for (let at = range.from >>> 5; at * 32 < range.to; at += 1) each(at, wordMask(at, range));
}

export function addRange({ words }: KeySet, range: OrdinalRange): void {
  eachWord(range, (at, mask) => {
    words[at] = (words[at] as number) | mask;
  });
}

/** Few enough keys that a microsecond for each makes a part of a slice. */
const PART = 4096;

/** Divides the keys of a list into ranges, after each of which long work can be interrupted. */
export const partsOfKeys = (count: number): OrdinalRange[] =>
  Array.from({ length: Math.ceil(count / PART) }, (_, i) => ({
    from: PART * i,
    to: Math.min(count, PART * (i + 1)),
  }));

/** Adds to the set the keys of `other` that are in a range. */
export function addWithin({ words }: KeySet, other: KeySet, range: OrdinalRange): void {
  eachWord(range, (at, mask) => {
    words[at] = (words[at] as number) | ((other.words[at] as number) & mask);
  });
}

/** Removes the keys of `other` from the set. */
export function removeAll({ words }: KeySet, other: KeySet): void {
  for (let i = 0; i < words.length; i += 1) {
    words[i] = (words[i] as number) & ~(other.words[i] as number);
  }
}

/** Adds the keys of `other` to the set. */
export function addAll({ words }: KeySet, other: KeySet): void {
  for (let i = 0; i < words.length; i += 1) {
    words[i] = (words[i] as number) | (other.words[i] as number);
  }
}

export function copyKeySet({ count, words }: KeySet): KeySet {
  const copy = emptyKeySet(count);
  copy.words.set(words);
  return copy;
}

/**
 * Returns the first key of the set at or after `ordinal`; the length of the list if there is none.
 */
export function nextKey({ count, words }: KeySet, ordinal: number): number {
  if (ordinal >= count) return count;
  let at = ordinal >>> 5;
  let word = (words[at] as number) & (ALL << (ordinal & 31));
  while (word === 0) {
    at += 1;
    if (at >= words.length) return count;
    word = words[at] as number;
  }
  return 32 * at + 31 - Math.clz32(word & -word);
}
