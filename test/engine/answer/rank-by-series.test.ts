import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { compareExact, type Exact } from '../../../domain/toppers/exact.ts';
import { isCounting } from '../../../domain/toppers/meter-type.ts';
import { combine, isListable } from '../../../domain/toppers/topper-arithmetic.ts';
import { answerSegments } from '../../../engine/answer/answer-segments.ts';
import type { RankedKeys } from '../../../engine/plan/key-questions.ts';
import { rankBySeries } from '../../../engine/toppers/rank-by-series.ts';
import { type PlainSample, plainTable } from '../../segments/plain-segments.ts';
import { FUZZ_CASES } from '../../support/random/fuzz-cases.ts';
import {
  aggregateAt,
  meterIndexes,
  readOf,
  rollUpsOf,
  stores,
  type Window,
  windows,
} from '../random-stores.ts';
import { GROUP, storeWith, type TestSegment } from '../stored-segments.ts';

type Asked = { readonly meterIndex: number; readonly probeId: number | null };

/** Returns, by key, its values in the steps of a window that have readings. */
function plainValues(
  store: readonly TestSegment[],
  window: Window,
  { meterIndex, probeId, step }: Asked & { readonly step: number },
): Map<string, Exact[]> {
  const list = store
    .filter((segment) => probeId === null || segment.probeId === probeId)
    .flatMap((segment): readonly PlainSample[] => segment.samples)
    .filter(({ bucket }) => bucket >= window.from && bucket < window.to);
  const values = new Map<string, Exact[]>();
  for (const [name, { value: sum, count }] of plainTable(list, step)) {
    const [key = '', , at] = name.split(' ');
    if (Number(at) !== meterIndex) continue;
    values.set(key, [...(values.get(key) ?? []), { sum, count }]);
  }
  return values;
}

/** Returns, by key, its value in a window (decision 24). */
function plainWindow(store: readonly TestSegment[], window: Window, asked: Asked) {
  const values = plainValues(store, window, { ...asked, step: Number.POSITIVE_INFINITY });
  const counted = [...values].flatMap(([key, [value]]): [string, Exact][] =>
    value && isListable(value, aggregateAt(asked.meterIndex)) ? [[key, value]] : [],
  );
  return new Map(counted);
}

const NOTHING: Exact = { sum: 0n, count: 1n };

const less = (a: Exact, b: Exact): Exact => ({
  sum: a.sum * b.count - b.sum * a.count,
  count: a.count * b.count,
});

type Ranked = { readonly key: string; readonly by: Exact };

const inOrder = (list: readonly Ranked[]): Ranked[] =>
  list.toSorted((a, b) => compareExact(b.by, a.by) || (a.key < b.key ? -1 : 1));

/** Checks the total, the others besides the listed keys, and the values of these. */
function expectSurroundings(
  answer: RankedKeys,
  values: ReadonlyMap<string, Exact>,
  { meterIndex }: Asked,
): void {
  const listed = new Set(answer.listed.map(({ key }) => key));
  const others = [...values].filter(([key]) => !listed.has(key)).map(([, value]) => value);
  const aggregate = aggregateAt(meterIndex);
  expect(answer.total).toEqual(combine(values.values(), aggregate));
  expect(answer.others).toEqual(combine(others, aggregate));
  expect(answer.othersMatching).toEqual(answer.others);
  for (const { key, value } of answer.listed) expect(value).toEqual(values.get(key) ?? null);
}

const asked = fc.record({
  meterIndex: meterIndexes,
  probeId: fc.constantFrom(null, 0, 5),
  maxItems: fc.constantFrom(1, 3, 12, 100),
  seed: fc.array(fc.nat(), { maxLength: 6 }),
});

describe('keys ranked by change', () => {
  it('equal plain arithmetic, whatever the segments and roll-ups', async () => {
    await fc.assert(
      fc.asyncProperty(
        stores,
        windows,
        asked,
        fc.record({
          change: fc.constantFrom('growth', 'decline', 'new'),
          ago: fc.integer({ min: 1, max: 9000 }),
        }),
        async (contents, window, { maxItems, seed, ...each }, { change, ago }) => {
          const since = { from: window.from - ago, to: window.to - ago };
          const { reader, live } = await storeWith(contents, rollUpsOf(contents, seed));
          const read = readOf(each.meterIndex, window, each.probeId);
          const selection = { within: null, passing: null };
          const question = { kind: 'changes', change, since, maxItems, ...selection } as const;
          const [answer] = await answerSegments(
            reader,
            live,
            [{ group: GROUP, read, question }],
            null,
          );
          if (answer?.kind !== 'ranked') throw new Error('a ranking was asked for');
          const now = plainWindow(contents, window, each);
          const then = plainWindow(contents, since, each);
          const changed = [...new Set([...now.keys(), ...then.keys()])].flatMap((key) => {
            const own = now.get(key);
            const before = then.get(key);
            if (change === 'new') return own && !before ? [{ key, by: own }] : [];
            const grown = less(own ?? NOTHING, before ?? NOTHING);
            const by = change === 'growth' ? grown : { ...grown, sum: -grown.sum };
            return (change === 'decline' || own) && by.sum > 0n ? [{ key, by }] : [];
          });
          expect(answer.listed.map(({ key }) => key)).toEqual(
            inOrder(changed)
              .slice(0, maxItems)
              .map(({ key }) => key),
          );
          expect(answer.keyCount).toBe(changed.length);
          for (const { key, compared } of answer.listed)
            expect(compared).toEqual(then.get(key) ?? null);
          expectSurroundings(answer, now, each);
        },
      ),
      { numRuns: FUZZ_CASES },
    );
  });
});

describe('keys ranked by a topper bucket', () => {
  it('equal plain arithmetic, however few are processed at once', async () => {
    await fc.assert(
      fc.asyncProperty(
        stores,
        // Windows that overlap reuse what earlier ones left in memory.
        fc.array(windows, { minLength: 1, maxLength: 3 }),
        asked,
        fc.record({
          percentile: fc.constantFrom(null, 0, 30, 50, 95, 99.9, 100),
          more: fc.constantFrom(0, 1, 40),
          firstKeys: fc.constantFrom(1, 4, 512),
          firstRead: fc.constantFrom(1, 3, 512),
          keysAtOnce: fc.constantFrom(1, 5, 1024),
        }),
        async (contents, asks, { maxItems, seed, ...each }, { percentile, more, ...sizes }) => {
          const { reader, live } = await storeWith(contents, rollUpsOf(contents, seed));
          for (const window of [...asks, ...asks]) {
            const read = readOf(each.meterIndex, window, each.probeId);
            const aggregate = aggregateAt(each.meterIndex);
            const values = plainWindow(contents, window, each);
            const steps = plainValues(contents, window, { ...each, step: 300 });
            const bucketCount =
              Math.floor((window.to - 1) / 300) - Math.floor(window.from / 300) + 1 + more;
            const by = (key: string): Exact => {
              const own = (steps.get(key) ?? []).toSorted(compareExact);
              const zeros = isCounting(aggregate) ? bucketCount - own.length : 0;
              const all = [...Array.from({ length: zeros }, () => NOTHING), ...own];
              const thousandths = BigInt(Math.round((percentile ?? 100) * 1000));
              const position = Number((thousandths * BigInt(all.length) + 99_999n) / 100_000n);
              return all[Math.max(1, position) - 1] as Exact;
            };
            const ranked = inOrder([...values.keys()].map((key) => ({ key, by: by(key) })));
            const question = {
              kind: 'series' as const,
              percentile,
              bucketCount,
              maxItems,
              within: null,
              passing: null,
            };
            const answer = await rankBySeries(
              reader,
              live,
              { group: GROUP, read, question },
              { deadline: null, sizes },
            );
            expect(answer.listed.map(({ key, compared }) => ({ key, by: compared }))).toEqual(
              ranked.slice(0, maxItems),
            );
            expect(answer.keyCount).toBe(ranked.length);
            expectSurroundings(answer, values, each);
          }
        },
      ),
      { numRuns: FUZZ_CASES },
    );
  });
});
