import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseNetwork } from '../../../domain/keys/address-forms.ts';
import { answerSegments } from '../../../engine/answer/answer-segments.ts';
import type { BlockQuestion, SegmentQuestion } from '../../../engine/plan/key-questions.ts';
import type { KeyLimit, ScopedSegments } from '../../../engine/plan/scoped-segment.ts';
import { readGroupSteps } from '../../../engine/series/group-steps.ts';
import { readKeySeries } from '../../../engine/series/key-series.ts';
import { answerTrends } from '../../../engine/toppers/answer-trends.ts';
import { rankBySeries } from '../../../engine/toppers/rank-by-series.ts';
import { MANY_KEYS_FROM, manySamples } from '../../segments/many-keys.ts';
import { FUZZ_CASES } from '../../support/random/fuzz-cases.ts';
import { meterIndexes, readOf, rollUpsOf, stores, windows } from '../random-stores.ts';
import { GROUP, storeWith, type TestSegment } from '../stored-segments.ts';

const limitOf = (...texts: string[]): KeyLimit => ({
  name: texts.join(),
  networks: texts.map((text) => {
    const network = parseNetwork(text);
    if (network === null) throw new Error(`${text} is no network`);
    return network;
  }),
  codec: GROUP.codec,
  kinds: GROUP.shape,
});

/** Addresses of both families: some of those of the random stores. */
const LIMIT = limitOf('192.168.1.0/28', 'c0a8:100::/127');

/** By texts of raw keys: C0.A8.01.00 to C0.A8.01.0F, and two IPv6 addresses. */
const isVisible = (key: string): boolean =>
  key.length > 11 ? /\.0[01]$/.test(key) : key.startsWith('C0.A8.01.0');

const limited = (live: ScopedSegments, limit = LIMIT): ScopedSegments => ({
  segments: live.segments.map((segment) => ({ ...segment, limit })),
  rollUps: live.rollUps.map((rollUp) => ({ ...rollUp, limit })),
});

const visible = (store: readonly TestSegment[], sees = isVisible): TestSegment[] =>
  store
    .map(({ samples, ...rest }) => ({ ...rest, samples: samples.filter(({ key }) => sees(key)) }))
    .filter(({ samples }) => samples.length > 0);

const ALL = { within: null, passing: null } as const;

describe('segments of which only some keys may be seen', () => {
  it('answer as segments that have no others, whatever the roll-ups', async () => {
    await fc.assert(
      fc.asyncProperty(
        stores,
        windows,
        windows,
        meterIndexes,
        fc.array(fc.nat(), { maxLength: 6 }),
        async (store, window, since, meterIndex, seed) => {
          const keys = ['C0.A8.01.01', 'C0.A8.01.20'];
          const asked: BlockQuestion[] = [
            { kind: 'top', maxItems: 4, ...ALL },
            { kind: 'changes', change: 'growth', since, maxItems: 4, ...ALL },
            { kind: 'changes', change: 'decline', since, maxItems: 4, ...ALL },
            { kind: 'changes', change: 'new', since, maxItems: 4, ...ALL },
            { kind: 'values', keys },
            { kind: 'ranks', keys, ...ALL },
          ];
          const read = readOf(meterIndex, window, null);
          const questions = asked.map(
            (question): SegmentQuestion => ({ group: GROUP, read, question }),
          );
          const whole = await storeWith(store, rollUpsOf(store, seed));
          const part = await storeWith(visible(store), []);
          expect(await answerSegments(whole.reader, limited(whole.live), questions, null)).toEqual(
            await answerSegments(part.reader, part.live, questions, null),
          );
        },
      ),
      { numRuns: 2 * FUZZ_CASES },
    );
  });

  it('have such trends, rankings by peaks, sums by step, and series', async () => {
    await fc.assert(
      fc.asyncProperty(stores, windows, meterIndexes, async (store, window, meterIndex) => {
        const read = readOf(meterIndex, window, null);
        const ask = async (contents: readonly TestSegment[], isLimited: boolean) => {
          const { reader, live: all } = await storeWith(contents, []);
          const live = isLimited ? limited(all) : all;
          const trend = { kind: 'trend', stepSeconds: 3600, maxItems: 3, ...ALL } as const;
          const peaks = {
            kind: 'series',
            percentile: null,
            bucketCount: 9,
            maxItems: 3,
            ...ALL,
          } as const;
          const steps = { group: GROUP, read, stepSeconds: 300 };
          const own = await readKeySeries(
            reader,
            live.segments,
            ['C0.A8.01.01', 'C0.A8.01.20'].map((key) => ({
              ...steps,
              key,
              question: { ranks: [50, 100], bucketCount: null },
            })),
            null,
          );
          return {
            trends: await answerTrends(
              reader,
              live.segments,
              [{ group: GROUP, read, question: trend }],
              {
                deadline: null,
              },
            ),
            peaks: await rankBySeries(
              reader,
              live,
              { group: GROUP, read, question: peaks },
              { deadline: null },
            ),
            sums: await readGroupSteps(
              reader,
              live.segments,
              [{ ...steps, listed: ['C0.A8.01.01'], within: null }],
              null,
            ),
            values: own.map(({ values }) => values),
          };
        };
        expect(await ask(store, true)).toEqual(await ask(visible(store), false));
      }),
      { numRuns: FUZZ_CASES },
    );
  });

  it('are not answered from heads, which have the total of all keys', async () => {
    const store = [{ probeId: 0, samples: manySamples({ keys: 11_000, hours: 3 }) }];
    const [first] = store[0]?.samples ?? [];
    const start = first?.key.slice(0, 5) ?? '';
    const [a, b] = start.split('.').map((byte) => Number.parseInt(byte, 16));
    const whole = await storeWith(store, [], { keys: 4700, rows: 1_000_000 });
    const part = await storeWith(
      visible(store, (key) => key.startsWith(start) && key.length === 11),
      [],
    );
    const window = { from: MANY_KEYS_FROM - 3600, to: MANY_KEYS_FROM + 9 * 3600 };
    const question = { kind: 'top', maxItems: 3, ...ALL } as const;
    const questions = [{ group: GROUP, read: readOf(0, window, null), question }];
    const live = limited(whole.live, limitOf(`${a}.${b}.0.0/16`));
    expect(await answerSegments(whole.reader, live, questions, null)).toEqual(
      await answerSegments(part.reader, part.live, questions, null),
    );
    expect(whole.reader.memory.use().find(({ kind }) => kind === 'heads')?.bytes).toBe(0);
  });
});
