import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Aggregate } from '../../../domain/toppers/meter-type.ts';
import { StepSeries, stepAt, stepValue, valuePart } from '../../../engine/series/step-series.ts';
import { asAggregated, exactValues } from './exact-values.ts';

describe('the steps of a series', () => {
  it('have exact values and times', () => {
    const isExact = fc.property(
      fc.constantFrom<Aggregate>('max', 'min', 'mean'),
      exactValues,
      (aggregate, drawn) => {
        const values = drawn.map((value) => asAggregated(value, aggregate));
        const parts = values.map((value, step) => valuePart(step * 1000, value));
        const series = new StepSeries({ origin: 7200, stepSeconds: 60 }, parts, aggregate);
        expect(values.map((_, i) => stepValue(series, i))).toEqual(values);
        expect(values.map((_, i) => stepAt(series, i))).toEqual(
          values.map((_, i) => 7200 + i * 60_000),
        );
      },
    );
    fc.assert(isExact, { numRuns: 300 });
  });
});
