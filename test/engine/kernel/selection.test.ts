import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { kthLargest } from '../../../domain/toppers/kth-largest.ts';
import { selectIndexes, selectNth } from '../../../engine/kernel/select/select-indexes.ts';

/** Many are equal, and some so large that doubles round them. */
const numbers = fc.array(
  fc.oneof(
    fc.integer({ min: -3, max: 3 }),
    fc.integer(),
    fc.constantFrom(2 ** 60, -(2 ** 60), 0.5, -0.5, Number.MAX_VALUE),
  ),
  { maxLength: 300 },
);

const notNegative = numbers.map((list) => list.map(Math.abs));

const ascending = (list: readonly number[]): number[] => list.toSorted((a, b) => a - b);

describe('the k-th largest', () => {
  it('is the one at that position in order, and −Infinity if there are fewer', () => {
    const isIt = fc.property(numbers, fc.integer({ min: 1, max: 320 }), (list, k) => {
      const expected = ascending(list).at(-k) ?? Number.NEGATIVE_INFINITY;
      expect(kthLargest(Float64Array.from(list), list.length, k)).toBe(expected);
    });
    fc.assert(isIt, { numRuns: 500 });
  });

  it('considers only the given number of values, and changes none', () => {
    const list = Float64Array.of(5, 1, 4, 99, 98);
    expect(kthLargest(list, 3, 2)).toBe(4);
    expect(kthLargest(list, 3, 4)).toBe(Number.NEGATIVE_INFINITY);
    expect([...list]).toEqual([5, 1, 4, 99, 98]);
  });

  it.each([
    ['ascending', (i: number) => i],
    ['descending', (i: number) => -i],
    ['equal', () => 7],
  ])('is found among numbers that are %s', (_, at) => {
    const list = Float64Array.from({ length: 5000 }, (__, i) => at(i));
    expect(kthLargest(list, 5000, 100)).toBe(ascending([...list]).at(-100));
  });
});

describe('the n-th number', () => {
  it('is the one at that position in order, however often it is requested', () => {
    const isIt = fc.property(
      fc.oneof(numbers, notNegative).filter((list) => list.length > 0),
      fc.array(fc.nat({ max: 1000 }), { maxLength: 5 }),
      (list, indexes) => {
        const array = Float64Array.from(list);
        const untouched = Float64Array.from(list);
        const inOrder = ascending(list);
        const wanted = indexes.map((each) => each % list.length);
        for (const index of wanted) expect(selectNth(array, index)).toBe(inOrder[index]);
        expect(selectIndexes(untouched, wanted)).toEqual(wanted.map((index) => inOrder[index]));
        expect([...untouched]).toEqual(list);
        expect(ascending([...array])).toEqual(inOrder);
      },
    );
    fc.assert(isIt, { numRuns: 500 });
  });

  it('is found in a part of a larger array, and among very many numbers', () => {
    const all = Float64Array.from({ length: 20_000 }, (_, i) => (i * 7919) % 20_011);
    for (const list of [all, all.subarray(3, 5000), all.subarray(0, 0)]) {
      const inOrder = ascending([...list]);
      const indexes = inOrder.flatMap((_, i) => (i % 997 === 0 ? [i] : []));
      expect(selectIndexes(list, indexes)).toEqual(indexes.map((index) => inOrder[index]));
    }
  });

  it.each([
    ['ascending', (i: number) => i],
    ['descending', (i: number) => -i],
    ['equal', () => 7],
    ['two values', (i: number) => i % 2],
  ])('is found among numbers that are %s', (_, at) => {
    const list = Float64Array.from({ length: 3000 }, (__, i) => at(i));
    const inOrder = ascending([...list]);
    const indexes = [0, 1, 1499, 1500, 2999];
    expect(selectIndexes(list, indexes)).toEqual(indexes.map((index) => inOrder[index]));
    for (const index of indexes) expect(selectNth(list, index)).toBe(inOrder[index]);
  });
});
