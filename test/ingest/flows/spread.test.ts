import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { amountBetween, amountUpTo } from '../../../ingest/flows/spread.ts';
import { addWhole, toWhole, type Whole } from '../../../ingest/whole.ts';

describe('an amount that is spread over a duration', () => {
  it.each<[Whole, number, number, Whole]>([
    [100, 0, 3, 0],
    [100, 1, 3, 33],
    [100, 2, 3, 66],
    [100, 3, 3, 100],
    [1, 999_999, 1_000_000, 0],
    [7, 0, 0, 7],
    // A product beyond 2^53, for which floating point division gives one more.
    [9_007_199_254_740_991, 2, 3, 6_004_799_503_160_660],
    [9_007_199_254_740_991, 9_007_199_254_740_989, 9_007_199_254_740_990, 9_007_199_254_740_989],
    [2n ** 63n - 1n, 1, 2, 2n ** 62n - 1n],
    [2n ** 63n - 1n, 2, 2, 2n ** 63n - 1n],
  ])('of %s, after %s of %s microseconds, comes to %s', (amount, elapsed, duration, expected) => {
    expect(amountUpTo(amount, elapsed, duration)).toBe(expected);
  });

  const whole = fc.bigInt({ min: 0n, max: 2n ** 63n - 1n }).map(toWhole);
  const duration = fc.integer({ min: 1, max: 10 ** 12 });

  it('is ⌊n·t/d⌋ exactly, whatever the size of the numbers', () => {
    fc.assert(
      fc.property(whole, duration, fc.double({ min: 0, max: 1, noNaN: true }), (n, d, part) => {
        const t = Math.floor(d * part);
        const exact = (BigInt(n) * BigInt(t)) / BigInt(d);
        expect(amountUpTo(n, t, d)).toBe(toWhole(exact));
      }),
    );
  });

  it('adds up to itself however it is cut', () => {
    const cuts = fc.array(fc.double({ min: 0, max: 1, noNaN: true }), { maxLength: 20 });
    fc.assert(
      fc.property(whole, duration, cuts, (n, d, parts) => {
        const times = [0, ...parts.map((part) => Math.floor(d * part)).sort((a, b) => a - b), d];
        let sum: Whole = 0;
        for (const [i, toUs] of times.slice(1).entries()) {
          const fromUs = times[i] ?? 0;
          const amount = amountBetween(n, { fromUs, toUs, durationUs: d });
          expect(amount >= 0).toBe(true);
          sum = addWhole(sum, amount);
        }
        expect(sum).toBe(n);
      }),
    );
  });
});
