import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { runWhole } from '../../../domain/sliced.ts';
import type { Aggregate } from '../../../domain/toppers/meter-type.ts';
import {
  aggregateBlocks,
  type BlockReadings,
  boundOf,
  openBlocks,
  releaseAggregated,
} from '../../../engine/kernel/aggregate/aggregate-blocks.ts';
import {
  answerKernelQuestions,
  type KernelAnswer,
  type KernelQuestion,
} from '../../../engine/kernel/rank-keys.ts';
import { setWide, wideLanes } from '../../../segments/codes/lanes.ts';
import type { PlainReading } from './plain-blocks.ts';
import { AGGREGATES, idsUpTo, readingOf, smallReadingOf } from './random-blocks.ts';
import {
  aggregatePlainly,
  answerPlainly,
  keySetOf,
  type PlainUnit,
  unitOf,
} from './reference-answers.ts';

const MOST_ID = 400;

type Reading = fc.Arbitrary<PlainReading>;

const block = (reading: Reading): fc.Arbitrary<PlainUnit> =>
  idsUpTo(MOST_ID, 40).chain((ids) =>
    fc.tuple(...ids.map((id) => reading.map((each) => ({ id, reading: each })))),
  );

const UP_TO_SIX = { minLength: 0, maxLength: 6 };

/** Blocks with readings of an aggregate, some of them null. */
const unitsOf = (aggregate: Aggregate, size = UP_TO_SIX): fc.Arbitrary<PlainUnit[]> =>
  fc
    .tuple(fc.constantFrom(smallReadingOf(aggregate), readingOf(aggregate)), fc.boolean())
    .chain(([reading, hasGaps]) =>
      fc.array(block(hasGaps ? fc.option(reading, { nil: null }) : reading), size),
    );

/** Distinct keys, some of which do not exist. */
const ordinals: fc.Arbitrary<number[]> = fc.uniqueArray(
  fc.oneof(fc.integer({ min: 0, max: 50 }), fc.integer({ min: 0, max: MOST_ID + 5 })),
  { maxLength: 120 },
);

const rooms = fc.constantFrom(0, 20, MOST_ID + 10);

const selection = fc.record({
  within: fc.option(ordinals, { nil: null }),
  passing: fc.option(
    fc.tuple(ordinals, rooms).map(([keys, room]) => keySetOf(keys, room)),
    { nil: null },
  ),
});

const question: fc.Arbitrary<KernelQuestion> = fc.oneof(
  fc
    .tuple(selection, fc.oneof(fc.integer({ min: 1, max: 8 }), fc.constantFrom(40, 10_000)))
    .map(([selected, maxItems]) => ({ kind: 'top' as const, ...selected, maxItems })),
  fc
    .tuple(selection, ordinals)
    .map(([selected, keys]) => ({ kind: 'ranks' as const, ...selected, keys })),
  ordinals.map((keys) => ({ kind: 'values' as const, keys })),
);

const lessOf = (unit: BlockReadings): BlockReadings => ({ ...unit, sign: -1 });

/** taken: blocks that are added as well, and subtracted again. */
const ask = (
  units: readonly PlainUnit[],
  aggregate: Aggregate,
  questions: readonly KernelQuestion[],
  taken: readonly PlainUnit[] = [],
): KernelAnswer[] => {
  const added = [...units, ...taken].map(unitOf);
  const aggregated = runWhole(
    openBlocks([...added, ...taken.map((each) => lessOf(unitOf(each)))], aggregate),
  );
  const answers = runWhole(answerKernelQuestions(aggregated, questions));
  releaseAggregated(aggregated);
  return answers;
};

describe.each(AGGREGATES)(
  'questions about blocks of a meter whose readings combine by %s',
  (aggregate) => {
    it.each([
      ['any number of blocks', UP_TO_SIX],
      ['a single block, which is read as it is', { minLength: 1, maxLength: 1 }],
    ])('are answered as in plain arithmetic: %s', (_, size) => {
      const isSame = fc.property(
        unitsOf(aggregate, size),
        fc.array(question, { minLength: 1, maxLength: 4 }),
        (units, questions) => {
          const values = aggregatePlainly(units, aggregate);
          expect(ask(units, aggregate, questions)).toEqual(
            questions.map((each) => answerPlainly(values, each, aggregate)),
          );
        },
      );
      fc.assert(isSame, { numRuns: 150 });
    });
  },
);

describe.each(['sum', 'rate'] as const)('readings that combine by %s', (aggregate) => {
  it('leave nothing behind when they are subtracted again', () => {
    const isSame = fc.property(
      unitsOf(aggregate),
      unitsOf(aggregate),
      fc.array(question),
      (...given) => {
        const [units, taken, questions] = given;
        const values = aggregatePlainly(units, aggregate);
        expect(ask(units, aggregate, questions, taken)).toEqual(
          questions.map((each) => answerPlainly(values, each, aggregate)),
        );
      },
    );
    fc.assert(isSame, { numRuns: 200 });
  });
});

it.each(['mean', 'max', 'min'] as const)('readings of a %s cannot be subtracted', (aggregate) => {
  const units = [unitOf([]), lessOf(unitOf([]))];
  expect(() => runWhole(openBlocks(units, aggregate))).toThrow('cannot be taken out again');
});

const TOP_ONE: KernelQuestion = { kind: 'top', maxItems: 1, within: null, passing: null };

/** Blocks in which key n has the n-th value. */
const blocks = (...values: (bigint | null)[][]): PlainUnit[] =>
  values.map((row) =>
    row.map((sum, id) => ({ id, reading: sum === null ? null : { sum, count: 1n } })),
  );

describe('sums', () => {
  it.each<[string, bigint, number]>([
    ['2^53', 2n ** 53n - 1n, 3],
    ['2^63', 2n ** 63n - 1n, 2],
    ['2^77', 2n ** 63n - 1n, 20_000],
  ])('beyond %s stay exact', (_, value, times) => {
    const all = Array.from({ length: times }, () => blocks([value, value - 1n])).flat();
    const [answer] = ask(all, 'sum', [TOP_ONE]);
    const count = BigInt(times);
    expect(answer).toMatchObject({
      listed: [{ ordinal: 0, value: { sum: value * count, count: 1n } }],
      others: { sum: (value - 1n) * count, count: 1n },
      total: { sum: (2n * value - 1n) * count, count: 1n },
    });
  });

  it('of many keys may exceed 2^53 together although none does alone', () => {
    const value = 2n ** 52n - 1n;
    const row = Array.from({ length: 1000 }, () => value);
    const [answer] = ask(blocks(row), 'sum', [TOP_ONE]);
    expect(answer).toMatchObject({ total: { sum: value * 1000n }, keyCount: 1000 });
  });

  /** `count` keys; key n has the value `value` − n. */
  function manyKeys(count: number, value: bigint): BlockReadings {
    const values = wideLanes(count);
    for (let row = 0; row < count; row += 1) setWide(values, row, value - BigInt(row));
    const ids = Uint32Array.from(values.low, (_, row) => row);
    const column = { values, counts: null, bound: boundOf(values), countBound: count };
    return { ids, column, sign: 1 };
  }

  it.each([
    ['of more keys than are added up at once', 2 ** 20 + 7, 1],
    ['of many keys in many blocks', 8200, 513],
  ])('%s are exact too', (_, keys, blockCount) => {
    const value = 2n ** 62n + 2n ** 32n - 1n;
    const unit = manyKeys(keys, value);
    const aggregated = aggregateBlocks(
      Array.from({ length: blockCount }, () => unit),
      'sum',
    );
    const [answer] = runWhole(
      answerKernelQuestions(aggregated, [{ ...TOP_ONE, passing: keySetOf([], 0) }]),
    );
    const count = BigInt(keys);
    const times = BigInt(blockCount);
    const sum = times * (count * value - (count * (count - 1n)) / 2n);
    expect(answer).toMatchObject({ total: { sum }, listed: [] });
  });
});

describe('values that differ only beyond the precision of a double', () => {
  const near = [2n ** 60n, 2n ** 60n + 2n, 2n ** 60n + 1n];

  it.each(AGGREGATES)('are distinguished by %s', (aggregate) => {
    const [top, ranks] = ask(blocks(near), aggregate, [
      TOP_ONE,
      {
        kind: 'ranks',
        within: null,
        passing: null,
        keys: [0, 1, 2],
      },
    ]);
    expect(top).toMatchObject({ listed: [{ ordinal: 1 }] });
    expect(ranks).toMatchObject({ ranks: [{ rank: 3 }, { rank: 1 }, { rank: 2 }] });
  });

  it('are distinguished as means of large sums', () => {
    const units: PlainUnit[] = [
      [
        { id: 0, reading: { sum: 2n ** 62n, count: 3n } },
        { id: 1, reading: { sum: 2n ** 63n + 1n, count: 6n } },
        { id: 2, reading: { sum: 2n ** 63n, count: 6n } },
      ],
    ];
    const [top, ranks] = ask(units, 'mean', [
      TOP_ONE,
      { kind: 'ranks', within: null, passing: null, keys: [2] },
    ]);
    expect(top).toMatchObject({ listed: [{ ordinal: 1 }] });
    // Key 0 has the same value, and is the smaller key.
    expect(ranks).toMatchObject({ ranks: [{ rank: 3 }] });
  });
});

describe('a reading that counts', () => {
  it('is not a zero of a counter, which is neither listed nor counted', () => {
    for (const aggregate of ['sum', 'rate'] as const) {
      const [answer] = ask(blocks([0n, null], [0n, 0n]), aggregate, [TOP_ONE]);
      expect(answer).toEqual({
        kind: 'top',
        listed: [],
        total: null,
        others: null,
        othersMatching: null,
        keyCount: 0,
      });
    }
  });

  it.each(['mean', 'max', 'min'] as const)(
    'is a zero of a meter that combines by %s',
    (aggregate) => {
      const [answer] = ask(blocks([0n, null], [0n, null]), aggregate, [TOP_ONE]);
      expect(answer).toMatchObject({
        listed: [{ ordinal: 0, value: { sum: 0n } }],
        keyCount: 1,
      });
    },
  );

  it('does not exist without blocks', () => {
    for (const aggregate of AGGREGATES) {
      const [answer] = ask([], aggregate, [TOP_ONE]);
      expect(answer).toMatchObject({ listed: [], total: null, others: null, keyCount: 0 });
    }
  });
});
