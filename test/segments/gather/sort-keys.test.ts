import { describe, expect, it } from 'vitest';
import { KeyTable } from '../../../segments/gather/key-table.ts';
import { sortKeys } from '../../../segments/gather/sort-keys.ts';
import { keyAt } from '../../../segments/keys/key-list.ts';

/** A generator of numbers below `bound`, the same in each run. */
function numbers(bound: number): () => number {
  let state = 1;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * bound);
  };
}

/** Keys of up to `length` bytes, of a few bytes at the limits of their ranges. */
function manyKeys(count: number, length: number): Uint8Array[] {
  const next = numbers(1_000_000);
  const bytes = [0, 1, 0x41, 0x7f, 0x80, 0xff];
  return Array.from({ length: count }, () =>
    Uint8Array.from({ length: 1 + (next() % length) }, () => bytes[next() % 6] ?? 0),
  );
}

const addressesOf = (count: number): Uint8Array[] => {
  const next = numbers(2 ** 32);
  return Array.from({ length: count }, () => {
    const address = next();
    return Uint8Array.of(address >>> 24, address >>> 16, address >>> 8, address);
  });
};

describe('keys of a table', () => {
  it.each([
    ['a few keys', manyKeys(300, 4)],
    ['addresses', addressesOf(20_000)],
    ['keys shorter and longer than the prefix that is sorted by digits', manyKeys(20_000, 12)],
    [
      'keys that begin with the same bytes',
      manyKeys(9_000, 6).map((key) => Uint8Array.of(...Array(8).fill(7), ...key)),
    ],
  ])('are sorted by their bytes: %s', (_, all) => {
    const table = new KeyTable();
    const indexes = all.map((key) => table.indexOf(key));
    const { keys, ranks } = sortKeys(table);
    const sorted = Array.from({ length: keys.count }, (_, i) => Buffer.from(keyAt(keys, i)));
    const expected = [...new Set(all.map((key) => Buffer.from(key).toString('hex')))].sort();
    expect(sorted.map((key) => key.toString('hex'))).toEqual(expected);
    const found = indexes.map((index) => sorted[ranks[index] ?? 0]?.toString('hex'));
    expect(found).toEqual(all.map((key) => Buffer.from(key).toString('hex')));
  });
});
