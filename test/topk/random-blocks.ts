import fc from 'fast-check';
import { type Fold, isCounting } from '../../domain/meter-type.ts';
import type { PlainBlock, PlainReading } from './plain-blocks.ts';

export const FOLDS = ['sum', 'rate', 'mean', 'max', 'min'] as const satisfies readonly Fold[];

/** Where one form of storing a number ends and the next begins, and where doubles do. */
const EDGES = [7, 14, 31, 32, 52, 53, 63].flatMap((bits) => {
  const edge = 2n ** BigInt(bits);
  return [edge - 1n, edge, edge + 1n];
});

/** Mostly small, as traffic is, but also of a size where rounding would show. */
export const counterValue: fc.Arbitrary<bigint> = fc.oneof(
  { weight: 4, arbitrary: fc.bigInt(0n, 3n) },
  { weight: 4, arbitrary: fc.bigInt(0n, 100_000n) },
  { weight: 2, arbitrary: fc.constantFrom(...EDGES) },
  // Of these no two can be told apart as doubles.
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

/** A reading of a meter that combines so. */
export const readingOf = (fold: Fold): fc.Arbitrary<Exclude<PlainReading, null>> =>
  fc.record({
    sum: isCounting(fold) ? counterValue : signedValue,
    count: fold === 'mean' ? anyCount : fc.constant(1n),
  });

/** Small numbers only, which stay narrow however many are added up. */
export const smallReadingOf = (fold: Fold): fc.Arbitrary<Exclude<PlainReading, null>> =>
  fc.record({
    sum: isCounting(fold) ? fc.bigInt(0n, 50n) : fc.bigInt(-50n, 50n),
    count: fold === 'mean' ? smallCount : fc.constant(1n),
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

export type BlockShape = {
  readonly folds: readonly (Fold | null)[];
  readonly mostId?: number;
  readonly reading?: (fold: Fold) => fc.Arbitrary<PlainReading>;
};

/** The rows of a block: of each slot all keys have readings, or some, or none. */
export const rowsOf = ({
  folds,
  mostId = 300,
  reading = readingOf,
}: BlockShape): fc.Arbitrary<PlainBlock['rows']> =>
  fc
    .tuple(idsUpTo(mostId), fc.tuple(...folds.map(() => fc.constantFrom(0, 0.5, 1))))
    .chain(([ids, gaps]) =>
      fc.tuple(
        ...ids.map((id) =>
          fc
            .tuple(...folds.map((fold, slot) => slotReading(fold, gaps[slot] ?? 0, reading)))
            .map((readings) => ({ id, readings })),
        ),
      ),
    );

function slotReading(
  fold: Fold | null,
  gaps: number,
  reading: (fold: Fold) => fc.Arbitrary<PlainReading>,
): fc.Arbitrary<PlainReading> {
  if (fold === null || gaps === 1) return fc.constant(null);
  return gaps === 0 ? reading(fold) : fc.option(reading(fold), { nil: null, freq: 1 });
}

/** Blocks of `level` seconds that ascend from `from` on, now and then with a gap between them. */
export const blocksOf = (
  shape: BlockShape,
  { level, from = 0, maxLength = 6 }: { level: number; from?: number; maxLength?: number },
): fc.Arbitrary<PlainBlock[]> =>
  fc
    .array(fc.tuple(fc.constantFrom(1, 1, 1, 2, 500), rowsOf(shape)), { minLength: 1, maxLength })
    .map((steps) => {
      let start = from - level;
      return steps.map(([distance, rows]) => {
        start += distance * level;
        return { start, rows };
      });
    });

export const someFolds: fc.Arbitrary<(Fold | null)[]> = fc.array(
  fc.oneof(
    { weight: 6, arbitrary: fc.constantFrom<Fold>(...FOLDS) },
    { weight: 1, arbitrary: fc.constant(null) },
  ),
  { minLength: 1, maxLength: 4 },
);
