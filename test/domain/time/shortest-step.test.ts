import fc from 'fast-check';
import { expect, it } from 'vitest';
import { shortestStep, stepsOf } from '../../../domain/time/interval.ts';

const HOUR = { from: 0, to: 3600 };

it.each([
  ['the first multiple if that is long enough', HOUR, { multipleOf: 60, min: 60, max: 60 }, 60],
  ['the next multiple if it is not', HOUR, { multipleOf: 60, min: 60, max: 59 }, 120],
  ['no shorter than the minimum', HOUR, { multipleOf: 60, min: 600, max: 60 }, 600],
  ['a multiple even if the minimum is not', HOUR, { multipleOf: 300, min: 301, max: 60 }, 600],
  [
    'the whole interval if only one step is allowed',
    HOUR,
    { multipleOf: 60, min: 60, max: 1 },
    3600,
  ],
  [
    'long enough for one aligned step to cover the interval',
    { from: 3540, to: 3660 },
    { multipleOf: 60, min: 60, max: 1 },
    420,
  ],
  [
    'the minimum for an empty interval',
    { from: 9, to: 9 },
    { multipleOf: 60, min: 60, max: 1 },
    60,
  ],
])('the shortest step is %s', (_, interval, bounds, expected) => {
  expect(shortestStep(interval, 60, bounds)).toBe(expected);
});

it('the shortest step is the first multiple that gives no more steps than allowed', () => {
  const cases = fc.record({
    from: fc.integer({ min: 0, max: 20_000 }),
    seconds: fc.integer({ min: 0, max: 5_000 }),
    bucket: fc.integer({ min: 1, max: 20 }),
    buckets: fc.integer({ min: 1, max: 5 }),
    min: fc.integer({ min: 1, max: 300 }),
    max: fc.integer({ min: 1, max: 40 }),
  });
  fc.assert(
    fc.property(cases, ({ from, seconds, bucket, buckets, min, max }) => {
      const interval = { from, to: from + seconds };
      const multipleOf = bucket * buckets;
      let step = multipleOf;
      while (step < min || stepsOf(interval, bucket, step).count > max) step += multipleOf;
      expect(shortestStep(interval, bucket, { multipleOf, min, max })).toBe(step);
    }),
  );
});

it('the shortest step is found without trying every candidate, however long the interval', () => {
  const decades = { from: 0, to: 1_752_566_400 };
  expect(shortestStep(decades, 1, { multipleOf: 1, min: 1, max: 1 })).toBe(1_752_566_400);
  expect(shortestStep(decades, 1, { multipleOf: 1, min: 1, max: 1000 })).toBe(1_752_567);
});
