import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { answerQuestions, type Question } from '../../topk/answer-questions.ts';
import { headOf } from '../../topk/block-heads.ts';
import type { UnitReadings } from '../../topk/fold-units.ts';
import { countedRows } from '../../topk/key-rows.ts';
import { openUnits } from '../../topk/open-units.ts';
import {
  answerPlainly,
  foldPlainly,
  inOrder,
  type PlainUnit,
  unitOf,
} from './reference-answers.ts';

const top = (maxItems: number): Question => ({
  ...{ kind: 'top', maxItems },
  ...{ within: null, passing: null },
});

const plainUnit = (values: readonly (bigint | null)[]): PlainUnit => [
  values.map((sum, id) => ({ id, reading: sum === null ? null : { sum, count: 1n } })),
];

const ask = (unit: UnitReadings, question: Question) => {
  const [answer] = answerQuestions(openUnits([unit], 'sum'), [question]);
  if (answer?.kind !== 'top') throw new Error('another answer than was asked for');
  return { ...answer, candidates: inOrder(answer.candidates) };
};

const hasHead = (unit: UnitReadings): boolean => {
  const folded = openUnits([unit], 'sum');
  return headOf(folded, () => countedRows(folded)) !== null;
};

/** Of few values many are equal; zeros and nothing are not counted. */
const value = (most: number): fc.Arbitrary<bigint | null> =>
  fc.oneof(fc.bigInt({ min: 0n, max: BigInt(most) }), fc.constantFrom(null, 0n));

describe('a block that is asked again', () => {
  it('answers as it did, from its head, for any number of keys', () => {
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
        const folded = foldPlainly([plain], 'sum');
        for (const size of sizes) {
          expect(ask(unit, top(size))).toEqual(answerPlainly(folded, top(size), 'sum'));
        }
      },
    );
    fc.assert(isSame, { numRuns: 12 });
  });

  it('has a head from the second time on, unless too many keys are equal', () => {
    const unit = unitOf(plainUnit(Array.from({ length: 6000 }, (_, i) => BigInt(i))));
    expect([hasHead(unit), hasHead(unit), hasHead(unit)]).toEqual([false, true, true]);
    const level = unitOf(plainUnit(Array.from({ length: 6000 }, () => 7n)));
    expect([hasHead(level), hasHead(level)]).toEqual([false, false]);
    expect(ask(level, top(10)).candidates).toHaveLength(6000);
  });
});
