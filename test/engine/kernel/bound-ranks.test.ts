import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { runWhole } from '../../../domain/sliced.ts';
import { isCounting } from '../../../domain/toppers/meter-type.ts';
import { boundRanks, boundSteps } from '../../../engine/kernel/select/step-bounds.ts';
import { FUZZ_CASES } from '../../support/random/fuzz-cases.ts';
import type { PlainReading } from './plain-blocks.ts';
import { idsUpTo, readingOf, smallReadingOf } from './random-blocks.ts';
import { aggregatePlainly, type PlainUnit, unitOf } from './reference-answers.ts';

const BUCKETS_OF_STEP = 4;

const block = (reading: fc.Arbitrary<PlainReading>): fc.Arbitrary<PlainUnit> =>
  idsUpTo(40, 30).chain((ids) =>
    fc.tuple(...ids.map((id) => reading.map((each) => ({ id, reading: each })))),
  );

/** Steps as lists of their topper buckets, which the block of a step combines. */
const stepsOf = (reading: fc.Arbitrary<PlainReading>) =>
  fc.array(fc.array(block(reading), { maxLength: BUCKETS_OF_STEP }), { maxLength: 5 });

type Units = ReturnType<typeof unitOf>[];

/**
 * Divides steps among segments. same: a step is in the same segment as the one before; apart: in
 * one that has no step in common with it; together: in two segments that may have all in common.
 */
function partsOf(
  steps: readonly Units[],
  split: readonly ('same' | 'together' | 'apart')[],
): Units[][][] {
  const apart: Units[][][] = [];
  for (const [i, units] of steps.entries()) {
    const how = split[i] ?? 'same';
    if (how === 'apart' || apart.length === 0) apart.push([[]]);
    const parts = apart.at(-1) as Units[][];
    if (how === 'together') parts.push([units.slice(1)]);
    parts[0]?.push(how === 'together' ? units.slice(0, 1) : units);
  }
  return apart;
}

describe.each(['sum', 'rate', 'max'] as const)('bounds of a meter by %s', (aggregate) => {
  it('are never below the value that they bound, and are sorted', () => {
    const asked = fc.tuple(
      fc.constantFrom(smallReadingOf(aggregate), readingOf(aggregate)).chain(stepsOf),
      isCounting(aggregate) ? fc.integer({ min: 1, max: 20 }) : fc.constant(1),
      fc.constantFrom(1, 3, 1000),
      fc.boolean(),
      fc.array(fc.constantFrom('same', 'together', 'apart'), { maxLength: 5 }),
    );
    const isBound = fc.property(asked, ([steps, rank, maxItems, asOneBlock, split]) => {
      const units = steps.map((buckets) => {
        if (!asOneBlock) return buckets.map(unitOf);
        const whole = [...aggregatePlainly(buckets, aggregate)].map(([id, value]) => ({
          id,
          reading: value,
        }));
        return [unitOf(whole.sort((a, b) => a.id - b.id))];
      });
      const parts = partsOf(units, split);
      const apart = parts.map((together) =>
        together.map((own) => ({
          bounds: runWhole(boundSteps({ aggregate, steps: own, keyCount: 41 })),
          map: null,
        })),
      );
      const ask = (most: number) =>
        runWhole(
          boundRanks(aggregate, apart, {
            within: null,
            passing: null,
            keyCount: 41,
            rank,
            bucketsOfStep: BUCKETS_OF_STEP,
            maxItems: most,
          }),
        );
      const answer = ask(maxItems);
      // By key, its topper buckets with readings, the largest first.
      const values = new Map<number, bigint[]>();
      for (const bucket of steps.flat()) {
        for (const [key, { sum }] of aggregatePlainly([bucket], aggregate)) {
          values.set(
            key,
            [...(values.get(key) ?? []), sum].sort((a, b) => (a > b ? -1 : 1)),
          );
        }
      }
      expect(answer.keyCount).toBe(values.size);
      expect(answer.keys).toHaveLength(Math.min(maxItems, values.size));
      for (const { ordinal, bound } of answer.keys) {
        const value = values.get(ordinal)?.[rank - 1] ?? 0n;
        expect(BigInt(bound) >= value, `${bound} for ${value}`).toBe(true);
      }
      const last = answer.keys.at(-1);
      const all = ask(1000);
      expect(answer.keys).toEqual(all.keys.slice(0, maxItems));
      for (const [i, each] of all.keys.entries()) {
        const next = all.keys[i + 1];
        if (!next) continue;
        const isBefore =
          each.bound > next.bound || (each.bound === next.bound && each.ordinal < next.ordinal);
        expect(isBefore).toBe(true);
      }
      expect(last === undefined).toBe(values.size === 0);
    });
    fc.assert(isBound, { numRuns: 2 * FUZZ_CASES });
  });
});

describe('bounds of means and minima', () => {
  it.each(['mean', 'min'] as const)('do not exist: %s', (aggregate) => {
    expect(() => runWhole(boundSteps({ aggregate, steps: [], keyCount: 1 }))).toThrow(
      `values that combine by ${aggregate} have no`,
    );
  });
});
