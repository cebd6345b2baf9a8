import type { ReadingRows } from './reading-rows.ts';

const DIGIT_BITS = 11;
const DIGITS = 2 ** DIGIT_BITS;

/** The rows in the order of bucket, shard and key id; the ids of their keys were learned. */
export function orderById(rows: ReadingRows): Uint32Array {
  const { rowCount, keyIndexes } = rows;
  const { shards, keyIds } = rows.keys;
  const rowShards = new Uint32Array(rowCount);
  const rowKeyIds = new Uint32Array(rowCount);
  for (let row = 0; row < rowCount; row += 1) {
    const index = keyIndexes[row] ?? 0;
    rowShards[row] = shards[index] ?? 0;
    rowKeyIds[row] = keyIds[index] ?? 0;
  }
  return sortedOrder(rowCount, [rowKeyIds, rowShards, bucketNumbers(rows)]);
}

/** The rows in some order in which those of the same bucket and key are neighbours. */
export const orderByIndex = (rows: ReadingRows): Uint32Array =>
  sortedOrder(rows.rowCount, [rows.keyIndexes, bucketNumbers(rows)]);

/** Buckets in seconds since the first. From 1990 until 2126 that is less than 2^32. */
function bucketNumbers({ rowCount, buckets }: ReadingRows): Uint32Array {
  let first = Number.POSITIVE_INFINITY;
  for (let row = 0; row < rowCount; row += 1) first = Math.min(first, buckets[row] ?? first);
  const numbers = new Uint32Array(rowCount);
  for (let row = 0; row < rowCount; row += 1) numbers[row] = (buckets[row] ?? first) - first;
  return numbers;
}

/**
 * The numbers from 0 in ascending order of their keys, of which the last one counts most. Equal
 * ones keep their order.
 *
 * A radix sort, digit by digit from the lowest: for whole numbers it is several times faster than
 * comparing, and it needs no objects to sort.
 */
export function sortedOrder(count: number, keys: readonly Uint32Array[]): Uint32Array {
  let order = new Uint32Array(count);
  for (let i = 0; i < count; i += 1) order[i] = i;
  let spare = new Uint32Array(count);
  for (const key of keys) {
    const max = largest(key, count);
    for (let shift = 0; shift < 32 && max >>> shift > 0; shift += DIGIT_BITS) {
      sortByDigit(key, shift, { order, into: spare });
      [order, spare] = [spare, order];
    }
  }
  return order;
}

function largest(key: Uint32Array, count: number): number {
  let max = 0;
  for (let i = 0; i < count; i += 1) max = Math.max(max, key[i] ?? 0);
  return max;
}

function sortByDigit(
  key: Uint32Array,
  shift: number,
  { order, into }: { order: Uint32Array; into: Uint32Array },
): void {
  const starts = new Uint32Array(DIGITS);
  for (let i = 0; i < order.length; i += 1) {
    const digit = ((key[i] ?? 0) >>> shift) % DIGITS;
    starts[digit] = (starts[digit] ?? 0) + 1;
  }
  let sum = 0;
  for (let digit = 0; digit < DIGITS; digit += 1) {
    const size = starts[digit] ?? 0;
    starts[digit] = sum;
    sum += size;
  }
  for (let i = 0; i < order.length; i += 1) {
    const row = order[i] ?? 0;
    const digit = ((key[row] ?? 0) >>> shift) % DIGITS;
    const place = starts[digit] ?? 0;
    into[place] = row;
    starts[digit] = place + 1;
  }
}
