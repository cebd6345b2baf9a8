import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Exact } from '../../../domain/toppers/exact.ts';
import { combine } from '../../../domain/toppers/topper-arithmetic.ts';
import type { TrendQuestion } from '../../../engine/plan/key-questions.ts';
import { answerTrends } from '../../../engine/toppers/answer-trends.ts';
import { AGGREGATES, type PlainSample } from '../../segments/plain-segments.ts';
import { FUZZ_CASES } from '../../support/random/fuzz-cases.ts';
import { passingIfEnds, plainValues } from '../plain-values.ts';
import {
  aggregateAt,
  meterIndexes,
  readOf,
  rollUpsOf,
  stores,
  type Window,
  windows,
} from '../random-stores.ts';
import { GROUP, storeOf, storeWith } from '../stored-segments.ts';

/** Computes the steps of a window, second by second. */
function plainSteps({ from, to }: Window, stepSeconds: number): Window[] {
  const steps: Window[] = [];
  let start = from;
  for (let at = from; at < to; at += 1) {
    if ((at + 1) % stepSeconds !== 0 && at + 1 < to) continue;
    steps.push({ from: start, to: at + 1 });
    start = at + 1;
  }
  return steps;
}

/** The compared fields: the sum and the count. */
const same = (value: Exact | null) => value && { sum: value.sum, count: value.count };

const valuesOf = (list: readonly { value: Exact }[]) => list.map(({ value }) => value);

const questionOf = (stepSeconds: number): TrendQuestion => ({
  kind: 'trend',
  stepSeconds,
  maxItems: 3,
  within: null,
  passing: null,
});

describe('a trend over segments', () => {
  it('has the toppers of plain arithmetic in each step, whatever the segments, roll-ups and batches', async () => {
    await fc.assert(
      fc.asyncProperty(
        stores,
        windows,
        meterIndexes,
        fc.record({
          stepSeconds: fc.constantFrom(60, 120, 300, 420, 3600, 5400, 86_400),
          maxItems: fc.integer({ min: 1, max: 12 }),
          probeId: fc.constantFrom(null, 0, 5),
          digit: fc.constantFrom(null, '1', 'A'),
          seed: fc.array(fc.nat(), { maxLength: 6 }),
        }),
        fc.record({
          readingsAtOnce: fc.constantFrom(1, 50, 1_000_000),
          unitsOfTask: fc.constantFrom(1, 5, 1000),
          readingsOfTask: fc.constantFrom(1, 100, 1_000_000),
        }),
        async (contents, window, meterIndex, { maxItems, probeId, digit, ...each }, sizes) => {
          const { stepSeconds, seed } = each;
          const { reader, live } = await storeWith(contents, rollUpsOf(contents, seed));
          const passing = digit === null ? null : passingIfEnds(digit);
          const read = readOf(meterIndex, window, probeId);
          const question = { ...questionOf(stepSeconds), maxItems, passing };
          const asked = { group: GROUP, read, question };
          const ask = () => answerTrends(reader, live.segments, [asked], { deadline: null, sizes });
          const [answer] = await ask();
          // The second time, the combined blocks of the first time are used.
          expect(await ask()).toEqual([answer]);
          const aggregate = aggregateAt(meterIndex);
          const steps = plainSteps(window, stepSeconds);
          expect(answer?.steps).toHaveLength(steps.length);
          for (const [i, step] of steps.entries()) {
            const found = answer?.steps[i];
            const all = plainValues(contents, { meterIndex, window: step, probeId });
            const passed = all.filter(({ key }) => digit === null || key.endsWith(digit));
            const listed = passed.slice(0, maxItems);
            const keys = new Set(listed.map(({ key }) => key));
            expect(found?.listed).toEqual(listed);
            expect(found?.keyCount).toBe(passed.length);
            expect(same(found?.total ?? null)).toEqual(combine(valuesOf(all), aggregate));
            const others = all.filter(({ key }) => !keys.has(key));
            expect(same(found?.others ?? null)).toEqual(combine(valuesOf(others), aggregate));
            const matching = passed.slice(maxItems);
            expect(same(found?.othersMatching ?? null)).toEqual(
              combine(valuesOf(matching), aggregate),
            );
          }
        },
      ),
      { numRuns: FUZZ_CASES },
    );
  });

  const FIRST = 1_752_537_600;

  const sample = (key: string, minute: number): PlainSample => ({
    key,
    bucket: FIRST + 60 * minute,
    readings: AGGREGATES.map((aggregate) => (aggregate ? { value: 3n, count: 1n } : null)),
  });

  const contents = [
    { probeId: 0, samples: [sample('C0.A8.01.01', 0), sample('C0.A8.01.02', 61)] },
    { probeId: 5, samples: [sample('C0.A8.01.02', 0), sample('C0.A8.01.03', 190)] },
  ];

  it('is read in one statement, however many trends and steps, and in none the second time', async () => {
    const { reader, live, statements } = storeOf(contents);
    const window = { from: FIRST, to: FIRST + 86_400 };
    const asked = [60, 300, 3600].flatMap((stepSeconds) =>
      [0, 1].map((meterIndex) => ({
        group: GROUP,
        read: readOf(meterIndex, window, null),
        question: questionOf(stepSeconds),
      })),
    );
    const ask = () => answerTrends(reader, live.segments, asked, { deadline: null });
    const first = await ask();
    expect(statements()).toBe(1);
    expect(await ask()).toEqual(first);
    expect(statements()).toBe(1);
  });

  it('is read in batches if it does not fit into memory', async () => {
    const { reader, live, statements } = storeOf(contents);
    const window = { from: FIRST, to: FIRST + 4 * 3600 };
    const asked = [{ group: GROUP, read: readOf(0, window, null), question: questionOf(3600) }];
    const sizes = { readingsAtOnce: 2, unitsOfTask: 10, readingsOfTask: 10 };
    const pieces = await answerTrends(reader, live.segments, asked, { deadline: null, sizes });
    expect(statements()).toBe(2);
    const { reader: other, live: same } = storeOf(contents);
    expect(await answerTrends(other, same.segments, asked, { deadline: null })).toEqual(pieces);
  });

  it('stops when its request is over', async () => {
    const { reader, live } = storeOf(contents);
    const window = { from: FIRST, to: FIRST + 86_400 };
    const asked = [{ group: GROUP, read: readOf(0, window, null), question: questionOf(3600) }];
    let steps = 0;
    const pause = () => {
      steps += 1;
      if (steps > 3) throw new Error('the time is over');
      return undefined;
    };
    const answer = answerTrends({ ...reader, pause }, live.segments, asked, { deadline: null });
    await expect(answer).rejects.toThrow('the time is over');
  });
});
