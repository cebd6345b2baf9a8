import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ServiceError } from '../../../domain/errors.ts';
import { nearestRank, parseRanks, ZERO } from '../../../domain/toppers/percentile.ts';

/** Returns the value at a rank of an ascending series that `zeros` implicit zeros precede. */
function valueAt(ascending: readonly bigint[], rank: number, zeros = 0): bigint | undefined {
  const place = nearestRank(ascending.length, rank, zeros);
  if (place === null) return undefined;
  return place === ZERO ? 0n : ascending[place];
}

describe('the nearest rank', () => {
  it.each([
    [5, 0, 1],
    [5, 20, 1],
    [5, 20.000001, 2],
    [5, 30, 2],
    [5, 40, 2],
    [5, 50, 3],
    [5, 99, 5],
    [5, 100, 5],
    [1, 0, 1],
    [1, 100, 1],
    [1000, 99.9, 999],
    [1000, 0.1, 1],
    [1000, 0.7, 7],
    [100, 7, 7],
    [100, 14, 14],
    [100, 28, 28],
    [100, 29, 29],
    [100, 55, 55],
    [100, 57, 57],
    [100, 99.99, 100],
    [10_000, 99.99, 9999],
    [10_000, 1e-7, 1],
    [3, 33.3, 1],
    [3, 33.4, 2],
  ])('of %d values for rank %d is the one at position %d', (count, rank, position) => {
    expect(nearestRank(count, rank, 0)).toBe(position - 1);
  });

  it('of no values is null', () => {
    expect(nearestRank(0, 50, 0)).toBeNull();
  });

  it('supports values beyond 2^53', () => {
    expect(valueAt([1n, 2n ** 70n], 100)).toBe(2n ** 70n);
  });

  it.each([
    [0, 3, 100, ZERO],
    [2, 3, 0, ZERO],
    [2, 3, 60, ZERO],
    [2, 3, 60.1, 0],
    [2, 3, 80, 0],
    [2, 3, 80.1, 1],
    [1, 2 ** 40 - 1, 99.999, ZERO],
    [1, 2 ** 40 - 1, 100, 0],
  ])('of %d values and %d zeros before them, for rank %d, is %s', (count, zeros, rank, place) => {
    expect(nearestRank(count, rank, zeros)).toBe(place);
  });

  it('counts implicit zeros like explicit ones', () => {
    fc.assert(
      fc.property(
        fc.array(fc.bigInt({ min: 0n, max: 50n })),
        fc.nat({ max: 50 }),
        fc.integer({ min: 0, max: 100 }),
        (values, zeros, rank) => {
          const ascending = values.sort((a, b) => Number(a - b));
          const written = [...Array.from({ length: zeros }, () => 0n), ...ascending];
          expect(valueAt(ascending, rank, zeros)).toBe(valueAt(written, rank));
        },
      ),
    );
  });

  it('is the ceiling of rank ÷ 100 · n, exactly, for ranks of two decimals', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 10_000 }),
        fc.integer({ min: 1, max: 500 }),
        (hundredths, n) => {
          const position = Math.floor((hundredths * n + 9_999) / 10_000);
          expect(nearestRank(n, hundredths / 100, 0)).toBe(position - 1);
        },
      ),
    );
  });
});

describe('percentile ranks', () => {
  it.each([
    [['50,95'], [50, 95], 'a list in one string'],
    [['50', '95'], [50, 95], 'one string for each rank'],
    [['99,50', '95'], [99, 50, 95], 'lists and single ranks, in the order given'],
    [['0', '100'], [0, 100], 'the smallest and the largest rank'],
    [['99.9'], [99.9], 'a fraction'],
    [['50,50.0', '5e1', '+50', '050'], [50], 'one rank in five spellings'],
    [['-0', '0'], [0], 'zero with a sign'],
    [['1e-7'], [1e-7], 'a small number as JSON writes it'],
    [[], [], 'none'],
  ])('%j give %j: %s', (items, ranks) => {
    expect(parseRanks(items, 'get_percentiles', 101)).toEqual(ranks);
  });

  it.each([
    [['abc'], 'a word'],
    [['-1'], 'below 0'],
    [['100.1'], 'above 100'],
    [['1e400'], 'far above 100'],
    [['NaN'], 'not a number'],
    [['50,'], 'an empty element at the end'],
    [['50,,95'], 'an empty element within'],
    [['50', ''], 'an empty string'],
    [['50 '], 'a space'],
    [['.5'], 'no digit before the point'],
    [['5.'], 'no digit after the point'],
    [['0x10'], 'a hexadecimal number'],
    [['50;95'], 'another separator'],
  ])('%j are refused: %s', (items) => {
    expect(() => parseRanks(items, 'get_percentiles', 101)).toThrow(
      new ServiceError(
        'malformedValue',
        `get_percentiles must be a list of numbers from 0 to 100, got ${JSON.stringify(items.join(','))}`,
      ),
    );
  });

  it('may be as many as the limit allows, duplicates not counted', () => {
    const most = Array.from({ length: 101 }, (_, i) => String(i));
    expect(parseRanks([...most, '1'], 'ranks', 101)).toEqual(most.map(Number));
    expect(() => parseRanks([...most, '0.5'], 'ranks', 101)).toThrow(
      'ranks must be a list of at most 101 ranks, got 102',
    );
  });
});
