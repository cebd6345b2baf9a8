import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Exact } from '../../../domain/toppers/exact.ts';
import type { Fold } from '../../../domain/toppers/meter-type.ts';
import {
  StepSeries,
  stepAt,
  stepValue,
  valuePart,
} from '../../../resolvers/loaders/series/step-series.ts';

const small = fc.record({ sum: fc.bigInt(-40n, 40n), count: fc.bigInt(1n, 3n) });
const any = fc.record({
  sum: fc.oneof(fc.bigInt(-(2n ** 63n), 2n ** 63n), fc.bigInt(2n ** 60n, 2n ** 60n + 2n)),
  count: fc.bigInt(1n, 2n ** 33n),
});

const ofFold = (value: Exact, fold: Fold): Exact =>
  fold === 'mean' ? value : { ...value, count: 1n };

describe('the steps of a series', () => {
  it('have exact values and times', () => {
    const isExact = fc.property(
      fc.constantFrom<Fold>('max', 'min', 'mean'),
      fc.oneof(fc.array(small, { minLength: 1 }), fc.array(any, { minLength: 1 })),
      (fold, drawn) => {
        const values = drawn.map((value) => ofFold(value, fold));
        const parts = values.map((value, step) => valuePart(step * 1000, value));
        const series = new StepSeries({ origin: 7200, stepSeconds: 60 }, parts, fold);
        expect(values.map((_, i) => stepValue(series, i))).toEqual(values);
        expect(values.map((_, i) => stepAt(series, i))).toEqual(
          values.map((_, i) => 7200 + i * 60_000),
        );
      },
    );
    fc.assert(isExact, { numRuns: 300 });
  });
});
