import type { KeyList } from '../keys/key-list.ts';
import { KeyListBuilder } from '../keys/key-list-builder.ts';
import type { KeyTable } from './key-table.ts';

/** The keys of a table in order, and the rank in it of each by its index in the table. */
export type SortedKeys = { readonly keys: KeyList; readonly ranks: Uint32Array };

/** Of fewer keys, comparing them is no slower than counting digits. */
const RADIX_FROM = 4096;

/** What a key begins with, as a number: three digits of 16 bits. */
const PREFIX_BYTES = 6;
const DIGIT = 65_536;

/**
 * Sorts by the first six bytes, digit by digit (an LSD radix sort), and then by comparing those few
 * that begin alike.
 */
export function sortKeys(table: KeyTable): SortedKeys {
  const order = Uint32Array.from({ length: table.count }, (_, index) => index);
  if (table.count < RADIX_FROM) order.sort((a, b) => compare(table, a, b));
  else sortByPrefix(table, order);
  const keys = new KeyListBuilder({ keys: table.count, bytes: table.ends[table.count] as number });
  const ranks = new Uint32Array(table.count);
  for (let rank = 0; rank < order.length; rank += 1) {
    const index = order[rank] as number;
    ranks[index] = rank;
    keys.add(table.bytes, table.ends[index] as number, table.ends[index + 1] as number);
  }
  return { keys: keys.finish(), ranks };
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
  const prefixes = prefixesOf(table);
  let from: Uint32Array = order;
  let to: Uint32Array = new Uint32Array(order.length);
  for (let place = 0; place < PREFIX_BYTES / 2; place += 1) {
    const scale = DIGIT ** place;
    countingPass(from, to, (index) => Math.floor((prefixes[index] as number) / scale) % DIGIT);
    [from, to] = [to, from];
  }
  // Three passes end in the other array.
  if (from !== order) order.set(from);
  sortRuns(table, order, prefixes);
}

function prefixesOf({ bytes, ends, count }: KeyTable): Float64Array {
  const prefixes = new Float64Array(count);
  for (let index = 0; index < count; index += 1) {
    const start = ends[index] as number;
    const end = ends[index + 1] as number;
    let prefix = 0;
    for (let at = start; at < start + PREFIX_BYTES; at += 1) {
      prefix = prefix * 256 + (at < end ? (bytes[at] as number) : 0);
    }
    prefixes[index] = prefix;
  }
  return prefixes;
}

function countingPass(
  from: Uint32Array,
  to: Uint32Array,
  digitOf: (index: number) => number,
): void {
  const next = new Uint32Array(DIGIT + 1);
  for (const index of from) {
    const after = digitOf(index) + 1;
    next[after] = (next[after] as number) + 1;
  }
  for (let digit = 0; digit < DIGIT; digit += 1) {
    next[digit + 1] = (next[digit + 1] as number) + (next[digit] as number);
  }
  for (const index of from) {
    const digit = digitOf(index);
    const at = next[digit] as number;
    to[at] = index;
    next[digit] = at + 1;
  }
}

/** Keys that begin with the same six bytes are next to each other by now. */
function sortRuns(table: KeyTable, order: Uint32Array, prefixes: Float64Array): void {
  let from = 0;
  for (let i = 1; i <= order.length; i += 1) {
    const isSame =
      i < order.length && prefixes[order[i] as number] === prefixes[order[from] as number];
    if (isSame) continue;
    if (i - from > 1) order.subarray(from, i).sort((a, b) => compare(table, a, b));
    from = i;
  }
}
