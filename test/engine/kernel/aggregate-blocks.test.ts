import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Aggregate } from '../../../domain/toppers/meter-type.ts';
import {
  aggregateBlocks,
  releaseAggregated,
} from '../../../engine/kernel/aggregate/aggregate-blocks.ts';
import { countedRows, exactValue, ordinalOf } from '../../../engine/kernel/select/key-rows.ts';
import { AGGREGATES, idsUpTo, readingOf, smallReadingOf } from './random-blocks.ts';
import { aggregatePlainly, type PlainUnit, unitOf } from './reference-answers.ts';

/** Returns the values of the keys that count. */
function aggregated(units: readonly PlainUnit[], aggregate: Aggregate) {
  const result = aggregateBlocks(units.map(unitOf), aggregate);
  const { rows, length } = countedRows(result);
  const values = new Map(
    Array.from(rows.subarray(0, length), (row) => [
      ordinalOf(result, row),
      exactValue(result, row),
    ]),
  );
  releaseAggregated(result);
  return { result, values };
}

const unitsOf = (aggregate: Aggregate, mostId: number): fc.Arbitrary<PlainUnit[]> =>
  fc.constantFrom(smallReadingOf(aggregate), readingOf(aggregate)).chain((reading) =>
    fc.array(
      idsUpTo(mostId, 30).chain((ids) =>
        fc.tuple(...ids.map((id) => reading.map((each) => ({ id, reading: each })))),
      ),
      { maxLength: 8 },
    ),
  );

describe.each(AGGREGATES)('blocks of a meter that combines by %s', (aggregate) => {
  it.each([
    ['few of very many keys have readings', 200_000],
    ['most keys have readings', 30],
  ])('add up to the same as their readings one by one, if %s', (_, mostId) => {
    const isSame = fc.property(unitsOf(aggregate, mostId), (units) => {
      expect(aggregated(units, aggregate).values).toEqual(aggregatePlainly(units, aggregate));
    });
    fc.assert(isSame, { numRuns: mostId > 1000 ? 20 : 100 });
  });

  it('leave nothing behind for the blocks that are added up next', () => {
    const isClean = fc.property(
      unitsOf(aggregate, 200),
      fc.constantFrom(...AGGREGATES),
      (units, before) => {
        const first = units.map((unit) =>
          unit.map(({ id }) => ({ id, reading: { sum: 2n ** 62n, count: 5n } })),
        );
        aggregated(first, before);
        expect(aggregated(units, aggregate).values).toEqual(aggregatePlainly(units, aggregate));
      },
    );
    fc.assert(isClean, { numRuns: 50 });
  });
});

describe('the memory of an aggregate', () => {
  const unit = (id: number, value: bigint): PlainUnit => [
    { id, reading: { sum: value, count: 1n } },
  ];

  it('is one double per key as long as the sum of all values stays below 2^53', () => {
    const half = 2n ** 52n - 1n;
    const [below, at] = [
      [half, half, 1n],
      [half, half, 2n],
    ].map((values) =>
      aggregated(
        values.map((value) => unit(0, value)),
        'sum',
      ),
    );
    expect(below?.result.values.high).toBeNull();
    expect(at?.result.values.high).not.toBeNull();
  });

  it('is one double per key for extremes, which are not added', () => {
    const most = 2n ** 53n - 1n;
    expect(aggregated([unit(0, most), unit(0, most)], 'max').result.values.high).toBeNull();
    expect(aggregated([unit(0, most), unit(0, -most)], 'min').result.values.high).toBeNull();
  });

  it('reaches to the highest ordinal of all blocks, and is empty without blocks', () => {
    const rowsOf = (units: PlainUnit[]) => aggregated(units, 'sum').result.values.low.length;
    expect(rowsOf([unit(9, 1n), [], unit(11, 1n), unit(2, 1n)])).toBe(12);
    expect(rowsOf([])).toBe(0);
    expect(rowsOf([[]])).toBe(0);
  });
});
