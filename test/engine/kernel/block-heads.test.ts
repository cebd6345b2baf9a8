import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { runWhole } from '../../../domain/sliced.ts';
import {
  type BlockReadings,
  openBlocks,
} from '../../../engine/kernel/aggregate/aggregate-blocks.ts';
import { answerKernelQuestions, type KernelQuestion } from '../../../engine/kernel/rank-keys.ts';
import { headOf } from '../../../engine/kernel/select/block-heads.ts';
import { countedRows } from '../../../engine/kernel/select/key-rows.ts';
import {
  aggregatePlainly,
  answerPlainly,
  keySetOf,
  type PlainUnit,
  unitOf,
} from './reference-answers.ts';

const top = (maxItems: number): KernelQuestion => ({
  kind: 'top',
  maxItems,
  within: null,
  passing: null,
});

const plainUnit = (values: readonly (bigint | null)[]): PlainUnit =>
  values.map((sum, id) => ({ id, reading: readingOf(sum) }));

const readingOf = (sum: bigint | null) => (sum === null ? null : { sum, count: 1n });

const ask = (unit: BlockReadings, question: KernelQuestion) => {
  const [answer] = runWhole(answerKernelQuestions(runWhole(openBlocks([unit], 'sum')), [question]));
  return answer;
};

const hasHead = (unit: BlockReadings): boolean => {
  const aggregated = runWhole(openBlocks([unit], 'sum'));
  return headOf(aggregated, null, () => countedRows(aggregated)) !== null;
};

/** Of few distinct values, many are equal. Zeros and null are not counted. */
const value = (most: number): fc.Arbitrary<bigint | null> =>
  fc.oneof(fc.bigInt({ min: 0n, max: BigInt(most) }), fc.constantFrom(null, 0n));

describe('a block that gets several questions', () => {
  it('gives the same answers from its head, for any number of keys', () => {
    const isSame = fc.property(
      fc
        .constantFrom(3, 300, 1_000_000)
        .chain((most) => fc.array(value(most), { minLength: 1, maxLength: 3000, size: 'max' })),
      fc.array(fc.oneof(fc.integer({ min: 1, max: 1200 }), fc.constantFrom(1000, 1001, 10_000)), {
        minLength: 3,
        maxLength: 6,
      }),
      (values, sizes) => {
        const plain = plainUnit(values);
        const unit = unitOf(plain);
        const aggregated = aggregatePlainly([plain], 'sum');
        for (const size of sizes) {
          expect(ask(unit, top(size))).toEqual(answerPlainly(aggregated, top(size), 'sum'));
        }
      },
    );
    fc.assert(isSame, { numRuns: 12 });
  });

  it('gives the same answers for the keys of a filter', () => {
    const block = fc
      .uniqueArray(fc.integer({ min: 0, max: 400 }), { maxLength: 300, size: 'max' })
      .map((ids) => ids.toSorted((a, b) => a - b))
      .chain((ids) =>
        fc
          .array(value(50), { minLength: ids.length, maxLength: ids.length })
          .map((values) => ids.map((id, i) => ({ id, reading: readingOf(values[i] ?? null) }))),
      );
    const isSame = fc.property(
      block,
      // Keys beyond the capacity of a set are not in it.
      fc.integer({ min: 0, max: 450 }),
      fc.array(fc.nat(400), { maxLength: 300 }),
      fc.integer({ min: 1, max: 200 }),
      (plain, room, keys, maxItems) => {
        const passing = keySetOf(keys, room);
        const unit = unitOf(plain);
        const expected = answerPlainly(
          aggregatePlainly([plain], 'sum'),
          { kind: 'top', maxItems, within: null, passing },
          'sum',
        );
        // From the third time on there are heads, of all keys and of the filtered ones.
        for (let again = 0; again < 5; again += 1) {
          expect(ask(unit, { kind: 'top', maxItems, within: null, passing })).toEqual(expected);
        }
      },
    );
    fc.assert(isSame, { numRuns: 60 });
  });

  it('answers from the heads of filters, too, as far as they exist', () => {
    const rows = 20_000;
    const plain = plainUnit(Array.from({ length: rows }, (_, i) => BigInt((i * 7919) % 5003)));
    const unit = unitOf(plain);
    const aggregated = aggregatePlainly([plain], 'sum');
    for (let every = 2; every < 12; every += 1) {
      const keys = Array.from({ length: Math.ceil(rows / every) }, (_, i) => i * every);
      const passing = keySetOf(keys, rows - 3);
      for (const maxItems of [1, 100, 1500]) {
        const question: KernelQuestion = { kind: 'top', maxItems, within: null, passing };
        const expected = answerPlainly(aggregated, question, 'sum');
        for (let again = 0; again < 3; again += 1) expect(ask(unit, question)).toEqual(expected);
      }
    }
  });

  it('has a head from the second time on, unless too many keys are equal', () => {
    const unit = unitOf(plainUnit(Array.from({ length: 6000 }, (_, i) => BigInt(i))));
    expect([hasHead(unit), hasHead(unit), hasHead(unit)]).toEqual([false, true, true]);
    const level = unitOf(plainUnit(Array.from({ length: 6000 }, () => 7n)));
    expect([hasHead(level), hasHead(level)]).toEqual([false, false]);
    expect(ask(level, top(10))).toMatchObject({ listed: { length: 10 }, keyCount: 6000 });
  });
});
