import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Exact } from '../../../domain/toppers/exact.ts';
import { combine } from '../../../domain/toppers/topper-arithmetic.ts';
import { answerSegments } from '../../../engine/answer/answer-segments.ts';
import type { KeyQuestion, SegmentQuestion } from '../../../engine/plan/key-questions.ts';
import { AGGREGATES, type PlainSample } from '../../segments/plain-segments.ts';
import { FUZZ_CASES } from '../../support/random/fuzz-cases.ts';
import { passingIfEnds, plainValues } from '../plain-values.ts';
import { aggregateAt, meterIndexes, readOf, rollUpsOf, stores, windows } from '../random-stores.ts';
import {
  GROUP,
  storeOf,
  storeWith,
  type TestRollUp,
  type TestSegment,
} from '../stored-segments.ts';

const valuesOf = (list: readonly { value: Exact }[]) => list.map(({ value }) => value);

/** The compared fields: the sum and the count. */
const same = (value: Exact | null) => value && { sum: value.sum, count: value.count };

async function ask(
  store: readonly TestSegment[],
  questions: readonly SegmentQuestion[],
  rollUps: readonly TestRollUp[] = [],
) {
  const { reader, live } = await storeWith(store, rollUps);
  return answerSegments(reader, live, questions, null);
}

describe('toppers over segments', () => {
  it('equal plain arithmetic, with totals, others and counts, whatever the segments and roll-ups', async () => {
    await fc.assert(
      fc.asyncProperty(
        stores,
        windows,
        meterIndexes,
        fc.record({
          maxItems: fc.integer({ min: 1, max: 12 }),
          probeId: fc.constantFrom(null, 0, 5),
          digit: fc.constantFrom(null, '1', 'A'),
          seed: fc.array(fc.nat(), { maxLength: 6 }),
        }),
        async (store, window, meterIndex, { maxItems, probeId, digit, seed }) => {
          const passing = digit === null ? null : passingIfEnds(digit);
          const question: KeyQuestion = { kind: 'top', maxItems, within: null, passing };
          const read = readOf(meterIndex, window, probeId);
          const questions = [{ group: GROUP, read, question }];
          const [answer] = await ask(store, questions, rollUpsOf(store, seed));
          if (answer?.kind !== 'top') throw new Error('a topper was asked for');
          const all = plainValues(store, { meterIndex, window, probeId });
          const passed = all.filter(({ key }) => digit === null || key.endsWith(digit));
          const listed = passed.slice(0, maxItems);
          const keys = new Set(listed.map(({ key }) => key));
          const aggregate = aggregateAt(meterIndex);
          expect(answer.listed).toEqual(listed);
          expect(answer.keyCount).toBe(passed.length);
          expect(same(answer.total)).toEqual(combine(valuesOf(all), aggregate));
          const others = all.filter(({ key }) => !keys.has(key));
          expect(same(answer.others)).toEqual(combine(valuesOf(others), aggregate));
          const matching = passed.slice(maxItems);
          expect(same(answer.othersMatching)).toEqual(combine(valuesOf(matching), aggregate));
        },
      ),
      { numRuns: 3 * FUZZ_CASES },
    );
  });

  it('give ranks and values of named keys, and null for keys without data', async () => {
    await fc.assert(
      fc.asyncProperty(stores, windows, meterIndexes, async (store, window, meterIndex) => {
        const all = plainValues(store, { meterIndex, window, probeId: null });
        const keys = [...all.map(({ key }) => key), 'C0.A8.01.FF', 'no address'];
        const read = readOf(meterIndex, window, null);
        const [ranks, values] = await ask(store, [
          { group: GROUP, read, question: { kind: 'ranks', keys, within: null, passing: null } },
          { group: GROUP, read, question: { kind: 'values', keys } },
        ]);
        const wanted = all.map(({ value }, i) => ({ value, rank: i + 1 }));
        expect(ranks).toEqual({ kind: 'ranks', ranks: [...wanted, null, null] });
        expect(values).toEqual({ kind: 'values', values: [...valuesOf(all), null, null] });
      }),
      { numRuns: FUZZ_CASES },
    );
  });

  it('are the same whatever other windows and meters were asked for before', async () => {
    const asked = fc.array(fc.tuple(windows, meterIndexes), { minLength: 2, maxLength: 6 });
    await fc.assert(
      fc.asyncProperty(stores, asked, async (store, reads) => {
        const { reader, live } = storeOf(store);
        for (const [window, meterIndex] of reads) {
          const question = { kind: 'top', maxItems: 5, within: null, passing: null } as const;
          const questions = [{ group: GROUP, read: readOf(meterIndex, window, null), question }];
          const found = await answerSegments(reader, live, questions, null);
          expect(found).toEqual(await ask(store, questions));
        }
      }),
      { numRuns: FUZZ_CASES },
    );
  });

  it('read everything in one statement, and nothing that was read before', async () => {
    const sample = (key: string, minute: number): PlainSample => ({
      key,
      bucket: 1_752_537_600 + 60 * minute,
      readings: AGGREGATES.map((aggregate) => (aggregate ? { value: 3n, count: 1n } : null)),
    });
    const store = storeOf([
      { probeId: 0, samples: [sample('C0.A8.01.01', 0), sample('C0.A8.01.02', 1)] },
      { probeId: 5, samples: [sample('C0.A8.01.02', 0), sample('C0.A8.01.03', 90)] },
    ]);
    const window = { from: 1_752_537_600, to: 1_752_537_600 + 86_400 };
    const questions = [0, 1, 3].map(
      (meterIndex): SegmentQuestion => ({
        group: GROUP,
        read: readOf(meterIndex, window, null),
        question: { kind: 'top', maxItems: 2, within: null, passing: null },
      }),
    );
    const { reader, live } = store;
    const first = await answerSegments(reader, live, questions, null);
    expect(store.statements()).toBe(1);
    expect(await answerSegments(reader, live, questions, null)).toEqual(first);
    expect(store.statements()).toBe(1);
  });

  it('refuse a roll-up that has another number of keys for a source', async () => {
    const sample = (host: number, minute: number): PlainSample => ({
      key: `C0.A8.01.0${host}`,
      bucket: 1_752_537_600 + 60 * minute,
      readings: AGGREGATES.map((aggregate) => (aggregate ? { value: 3n, count: 1n } : null)),
    });
    const { reader, live } = await storeWith(
      [
        { probeId: 0, samples: [sample(1, 0), sample(1, 200)] },
        { probeId: 0, samples: [sample(1, 300), sample(2, 301), sample(3, 600)] },
      ],
      [{ probeId: 0, sources: [1, 2] }],
    );
    const rollUps = live.rollUps.map((rollUp) => ({ ...rollUp, sources: [2, 1] }));
    const interval = { from: 1_752_537_600 + 60, to: 1_752_537_600 + 86_400 };
    const question = { kind: 'top', maxItems: 2, within: null, passing: null } as const;
    const asked = [{ group: GROUP, read: readOf(0, interval, null), question }];
    await expect(answerSegments(reader, { ...live, rollUps }, asked, null)).rejects.toThrow(
      /roll-up 3 has \d of a source's \d keys/,
    );
    expect(await answerSegments(reader, live, asked, null)).toMatchObject([{ keyCount: 3 }]);
  });
});
