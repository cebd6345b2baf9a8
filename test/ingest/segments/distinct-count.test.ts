import { describe, expect, it } from 'vitest';
import { DistinctCount } from '../../../ingest/segments/distinct-count.ts';
import { KeyTable } from '../../../segments/gather/key-table.ts';

/** Consecutive keys of four bytes. */
function keys(from: number, to: number): KeyTable {
  const table = new KeyTable();
  for (let i = from; i < to; i += 1) table.indexOf(Uint8Array.of(10, i >> 16, i >> 8, i));
  return table;
}

describe('the count of distinct keys', () => {
  it('is exact while they fit, across several tables and groups', () => {
    const count = new DistinctCount();
    expect(count.result()).toEqual({ count: 0, isExact: true });
    count.add(1, keys(0, 30_000));
    count.add(1, keys(20_000, 100_000));
    count.add(2, keys(0, 5));
    expect(count.result()).toEqual({ count: 100_005, isExact: true });
  });

  it('tells short keys of different groups apart', () => {
    const table = new KeyTable();
    for (let byte = 0; byte < 256; byte += 1) table.indexOf(Uint8Array.of(byte));
    const count = new DistinctCount();
    for (let group = 1; group <= 200; group += 1) count.add(group, table);
    expect(count.result()).toEqual({ count: 200 * 256, isExact: true });
  });

  it('is close, and says that it is not exact, if there are too many', () => {
    const count = new DistinctCount(2 ** 14, 1);
    for (const from of [0, 50_000, 0, 100_000]) count.add(1, keys(from, from + 100_000));
    const { count: about, isExact } = count.result();
    expect(isExact).toBe(false);
    expect(Math.abs(about - 200_000)).toBeLessThan(10_000);
  });
});
