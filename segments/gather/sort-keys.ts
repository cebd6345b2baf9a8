import type { KeyList } from '../keys/key-list.ts';
import type { KeyTable } from './key-table.ts';

/** The sorted keys of a table, and the rank of each key by its index in the table. */
type SortedKeys = { readonly keys: KeyList; readonly ranks: Uint32Array };

/** Number of keys from which a radix sort is used. For fewer keys, comparing is not slower. */
const RADIX_FROM = 4096;

/** Bytes per word. Two words of a key's first bytes are sorted by digits. */
const WORD_BYTES = 4;

/** Bits per digit: the counters fit into the nearest cache, and three passes sort a word. */
const DIGIT_BITS = 11;
const DIGITS = 2 ** DIGIT_BITS;
const WORD_BITS = 32;

/**
 * Sorts the keys of a table by their first eight bytes, digit by digit (an LSD radix sort), and
 * then the few keys that share these bytes by comparison.
 */
export function sortKeys(table: KeyTable): SortedKeys {
  const order = new Uint32Array(table.count);
  for (let index = 0; index < order.length; index += 1) order[index] = index;
  if (table.count < RADIX_FROM) order.sort((a, b) => compare(table, a, b));
  else sortByPrefix(table, order);
  return { keys: inOrder(table, order), ranks: ranksOf(order) };
}

function ranksOf(order: Uint32Array): Uint32Array {
  const ranks = new Uint32Array(order.length);
  for (let rank = 0; rank < order.length; rank += 1) ranks[order[rank] as number] = rank;
  return ranks;
}

function inOrder(table: KeyTable, order: Uint32Array): KeyList {
  const { bytes: from, ends: starts, count } = table;
  const bytes = new Uint8Array(starts[count] as number);
  const ends = new Uint32Array(count);
  let length = 0;
  for (let rank = 0; rank < count; rank += 1) {
    const index = order[rank] as number;
    const end = starts[index + 1] as number;
    for (let at = starts[index] as number; at < end; at += 1) {
      bytes[length] = from[at] as number;
      length += 1;
    }
    ends[rank] = length;
  }
  return { bytes, ends, count };
}

function compare({ bytes, ends }: KeyTable, a: number, b: number): number {
  const left = ends[a] as number;
  const right = ends[b] as number;
  const length = (ends[a + 1] as number) - left;
  const other = (ends[b + 1] as number) - right;
  const shared = Math.min(length, other);
  for (let i = 0; i < shared; i += 1) {
    const difference = (bytes[left + i] as number) - (bytes[right + i] as number);
    if (difference !== 0) return difference;
  }
  return length - other;
}

function sortByPrefix(table: KeyTable, order: Uint32Array): void {
  sortByWords(order, wordsOf(table, order, WORD_BYTES));
  const first = wordsOf(table, order, 0);
  sortByWords(order, first);
  sortRuns(table, order, first);
}

/** Returns four bytes of each key from byte `skipped` on, in the given order. */
function wordsOf(table: KeyTable, order: Uint32Array, skipped: number): Uint32Array {
  const words = new Uint32Array(order.length);
  for (let i = 0; i < order.length; i += 1) words[i] = wordOf(table, order[i] as number, skipped);
  return words;
}

/** Returns four bytes of a key, padded with zeros after its end. */
function wordOf({ bytes, ends }: KeyTable, index: number, skipped: number): number {
  const start = (ends[index] as number) + skipped;
  const end = ends[index + 1] as number;
  let word = 0;
  for (let at = start; at < start + WORD_BYTES; at += 1) {
    word = (word << 8) | (at < end ? (bytes[at] as number) : 0);
  }
  return word;
}

/** Sorts the words, and `order` along with them. The sort is stable. */
function sortByWords(order: Uint32Array, words: Uint32Array): void {
  let from: Pairs = { order, words };
  let to: Pairs = {
    order: new Uint32Array(order.length),
    words: new Uint32Array(order.length),
  };
  for (let shift = 0; shift < WORD_BITS; shift += DIGIT_BITS) {
    if (!countingPass(from, to, shift)) continue;
    [from, to] = [to, from];
  }
  if (from.order === order) return;
  order.set(from.order);
  words.set(from.words);
}

type Pairs = { readonly order: Uint32Array; readonly words: Uint32Array };

/** Sorts by one digit. If all words have the same digit, returns false and moves nothing. */
function countingPass(from: Pairs, to: Pairs, shift: number): boolean {
  const { order, words } = from;
  const next = new Uint32Array(DIGITS + 1);
  for (let i = 0; i < words.length; i += 1) {
    const after = (((words[i] as number) >>> shift) & (DIGITS - 1)) + 1;
    next[after] = (next[after] as number) + 1;
  }
  if (next.includes(words.length)) return false;
  for (let digit = 0; digit < DIGITS; digit += 1) {
    next[digit + 1] = (next[digit + 1] as number) + (next[digit] as number);
  }
  for (let i = 0; i < words.length; i += 1) {
    const word = words[i] as number;
    const digit = (word >>> shift) & (DIGITS - 1);
    const at = next[digit] as number;
    to.order[at] = order[i] as number;
    to.words[at] = word;
    next[digit] = at + 1;
  }
  return true;
}

/** Sorts keys with the same first eight bytes, which are adjacent by now. */
function sortRuns(table: KeyTable, order: Uint32Array, words: Uint32Array): void {
  const second = (i: number): number => wordOf(table, order[i] as number, WORD_BYTES);
  let from = 0;
  for (let i = 1; i <= order.length; i += 1) {
    if (i < order.length && words[i] === words[from] && second(i) === second(from)) continue;
    if (i - from > 1) order.subarray(from, i).sort((a, b) => compare(table, a, b));
    from = i;
  }
}
