import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { compareExact, type Exact } from '../../../domain/toppers/exact.ts';
import type { Aggregate } from '../../../domain/toppers/meter-type.ts';
import { orderedValues, valuesBeside, valuesOfSeries } from '../../../engine/series/percentiles.ts';
import { StepSeries, stepValue, valuePart } from '../../../engine/series/step-series.ts';
import { asAggregated, exactValues } from './exact-values.ts';

describe('the values of a series in order', () => {
  it('are exact at any position, whether its parts are joined, apart or beside sealed segments', () => {
    const isOrdered = fc.property(
      fc.constantFrom<Aggregate>('max', 'min', 'mean'),
      exactValues,
      fc.array(fc.nat(), { minLength: 1, maxLength: 5 }),
      fc.array(fc.integer(), { maxLength: 40 }),
      (aggregate, drawn, indexes, numbers) => {
        const values = drawn.map((value) => asAggregated(value, aggregate));
        const parts = values.map((value, step) => valuePart(step * 1000, value));
        const series = new StepSeries({ origin: 7200, stepSeconds: 60 }, parts, aggregate);
        const sealed = { numbers: Float64Array.from(numbers), isSorted: false };
        const inSealed = numbers.map((number): Exact => ({ sum: BigInt(number), count: 1n }));
        for (const [ordered, all] of [
          [valuesOfSeries(series), values],
          [orderedValues(parts, aggregate), values],
          [valuesBeside(sealed, parts, aggregate), [...values, ...inSealed]],
          // Now the sealed values are sorted.
          [valuesBeside(sealed, parts, aggregate), [...values, ...inSealed]],
        ] as const) {
          const ascending = all.toSorted(compareExact);
          const wanted = indexes.map((each) => each % all.length);
          const least = Number(all[0]?.sum) / Number(all[0]?.count);
          const { count: tallied, reaching } = ordered.tally(least);
          expect(tallied).toBe(all.length);
          expect(reaching).toBeGreaterThanOrEqual(
            all.filter(({ sum, count }) => Number(sum) / Number(count) >= least).length,
          );
          const found = ordered.select((count) => {
            expect(count).toBe(all.length);
            return wanted;
          });
          for (const [i, index] of wanted.entries()) {
            expect(compareExact(found[i] as Exact, ascending[index] as Exact)).toBe(0);
          }
        }
        // Ordering the steps does not change the series.
        expect(values.map((_, i) => stepValue(series, i))).toEqual(values);
      },
    );
    fc.assert(isOrdered, { numRuns: 300 });
  });
});
