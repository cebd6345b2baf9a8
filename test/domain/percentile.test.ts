import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ServiceError } from '../../domain/errors.ts';
import { LIMITS } from '../../domain/limits.ts';
import { nearestRank, parseRanks } from '../../domain/percentile.ts';

/** 1, 2, … n: the value at a position is the position. */
const positions = (count: number): bigint[] =>
  Array.from({ length: count }, (_, i) => BigInt(i + 1));

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
    expect(nearestRank(positions(count), rank)).toBe(BigInt(position));
  });

  it('of no values is none', () => {
    expect(nearestRank([], 50)).toBeUndefined();
  });

  it('takes values beyond 2^53', () => {
    expect(nearestRank([1n, 2n ** 70n], 100)).toBe(2n ** 70n);
  });

  it('counts zeros that are not written down as if they were', () => {
    fc.assert(
      fc.property(
        fc.array(fc.bigInt({ min: 0n, max: 50n })),
        fc.nat({ max: 50 }),
        fc.integer({ min: 0, max: 100 }),
        (values, zeros, rank) => {
          const ascending = values.sort((a, b) => Number(a - b));
          const written = [...Array.from({ length: zeros }, () => 0n), ...ascending];
          expect(nearestRank(ascending, rank, zeros)).toBe(nearestRank(written, rank));
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
          expect(nearestRank(positions(n), hundredths / 100)).toBe(BigInt(position));
        },
      ),
    );
  });
});

describe('percentile ranks', () => {
  it.each([
    [['50,95'], [50, 95], 'a list in one text'],
    [['50', '95'], [50, 95], 'a text each'],
    [['99,50', '95'], [99, 50, 95], 'both, in the order given'],
    [['0', '100'], [0, 100], 'the ends'],
    [['99.9'], [99.9], 'a fraction'],
    [['50,50.0', '5e1', '+50', '050'], [50], 'one rank in five spellings'],
    [['-0', '0'], [0], 'zero with a sign'],
    [['1e-7'], [1e-7], 'a small number as JSON has it'],
    [[], [], 'none'],
  ])('%j give %j: %s', (items, ranks) => {
    expect(parseRanks(items, 'get_percentiles')).toEqual(ranks);
  });

  it.each([
    [['abc'], 'a word'],
    [['-1'], 'below 0'],
    [['100.1'], 'above 100'],
    [['1e400'], 'far above 100'],
    [['NaN'], 'not a number'],
    [['50,'], 'an empty element at the end'],
    [['50,,95'], 'an empty element within'],
    [['50', ''], 'an empty text'],
    [['50 '], 'a space'],
    [['.5'], 'no digit before the point'],
    [['5.'], 'no digit after the point'],
    [['0x10'], 'a hexadecimal number'],
    [['50;95'], 'another separator'],
  ])('%j are refused: %s', (items) => {
    expect(() => parseRanks(items, 'get_percentiles')).toThrow(
      new ServiceError(
        'malformedValue',
        `get_percentiles must be a list of numbers from 0 to 100, got ${JSON.stringify(items.join(','))}`,
      ),
    );
  });

  it('may be as many as the limit allows, duplicates not counted', () => {
    const most = positions(LIMITS.percentileRanks).map(String);
    expect(parseRanks([...most, '1'], 'ranks')).toHaveLength(LIMITS.percentileRanks);
    expect(() => parseRanks([...most, '0.5'], 'ranks')).toThrow(
      'ranks must be a list of at most 100 ranks, got 101',
    );
  });
});
