import fc from 'fast-check';
import { type Aggregate, isCounting } from '../../../domain/toppers/meter-type.ts';
import type { PlainReading } from './plain-blocks.ts';

export const AGGREGATES = [
  'sum',
  'rate',
  'mean',
  'max',
  'min',
] as const satisfies readonly Aggregate[];

/** The limits of the forms in which numbers are stored, and of exact doubles. */
const EDGES = [7, 14, 31, 32, 52, 53, 63].flatMap((bits) => {
  const edge = 2n ** BigInt(bits);
  return [edge - 1n, edge, edge + 1n];
});

/** Mostly small, as traffic is, but also of a size where rounding would show. */
export const counterValue: fc.Arbitrary<bigint> = fc.oneof(
  { weight: 4, arbitrary: fc.bigInt(0n, 3n) },
  { weight: 4, arbitrary: fc.bigInt(0n, 100_000n) },
  { weight: 2, arbitrary: fc.constantFrom(...EDGES) },
  // As doubles, all of these are equal.
  { weight: 1, arbitrary: fc.bigInt(2n ** 60n, 2n ** 60n + 3n) },
  { weight: 1, arbitrary: fc.bigInt(0n, 2n ** 63n - 1n) },
);

export const signedValue: fc.Arbitrary<bigint> = fc
  .tuple(counterValue, fc.boolean())
  .map(([value, isNegative]) => (isNegative ? -value : value));

const smallCount = fc.bigInt(1n, 4n);
const anyCount = fc.oneof(
  { weight: 9, arbitrary: smallCount },
  { weight: 1, arbitrary: fc.bigInt(1n, 2n ** 62n) },
);

/** A reading of a meter with this aggregate. */
export const readingOf = (aggregate: Aggregate): fc.Arbitrary<Exclude<PlainReading, null>> =>
  fc.record({
    sum: isCounting(aggregate) ? counterValue : signedValue,
    count: aggregate === 'mean' ? anyCount : fc.constant(1n),
  });

/** Small numbers only, which stay narrow however many are added up. */
export const smallReadingOf = (aggregate: Aggregate): fc.Arbitrary<Exclude<PlainReading, null>> =>
  fc.record({
    sum: isCounting(aggregate) ? fc.bigInt(0n, 50n) : fc.bigInt(-50n, 50n),
    count: aggregate === 'mean' ? smallCount : fc.constant(1n),
  });

/** Ascending ids: close together, far apart, or in clusters. */
export const idsUpTo = (most: number, maxLength = 40): fc.Arbitrary<number[]> =>
  fc
    .oneof(
      fc.uniqueArray(fc.integer({ min: 0, max: Math.min(most, 50) }), { maxLength }),
      fc.uniqueArray(fc.integer({ min: 0, max: most }), { maxLength }),
      fc
        .tuple(fc.integer({ min: 0, max: most }), fc.integer({ min: 1, max: maxLength }))
        .map(([first, length]) =>
          Array.from({ length }, (_, i) => Math.min(most, first + i)).filter(
            (id, i, all) => id !== all[i - 1],
          ),
        ),
    )
    .map((ids) => ids.sort((a, b) => a - b));
