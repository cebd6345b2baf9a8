import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { SEALED_LEVEL } from '../../../domain/slices/segment-level.ts';
import { type Interval, isEmpty, stepsOf } from '../../../domain/time/interval.ts';
import type { Exact } from '../../../domain/toppers/exact.ts';
import { isCounting } from '../../../domain/toppers/meter-type.ts';
import type { SeriesQuestion } from '../../../engine/plan/key-questions.ts';
import type { MeterScan } from '../../../engine/plan/meter-scan.ts';
import type { ScopedSegment } from '../../../engine/plan/scoped-segment.ts';
import { readKeySeries } from '../../../engine/series/key-series.ts';
import { type StepSeries, stepValue } from '../../../engine/series/step-series.ts';
import { rankBySeries } from '../../../engine/toppers/rank-by-series.ts';
import { samples } from '../../segments/plain-segments.ts';
import { FUZZ_CASES } from '../../support/random/fuzz-cases.ts';
import { meterIndexes, readOf } from '../random-stores.ts';
import { GROUP, storeOf, type TestSegment, type TestStore } from '../stored-segments.ts';
import { isSameValue, plainPercentile } from './plain-percentile.ts';

const FIRST = 1_752_537_600;
const TOPPER_BUCKET = 300;

/** Segments in the order of time, with gaps of minutes, or with a few minutes in common. */
const segments: fc.Arbitrary<TestSegment[]> = fc
  .array(
    fc.record({
      probeId: fc.constantFrom(0, 0, 5),
      samples,
      isSealed: fc.boolean(),
      gap: fc.constantFrom(-3, 0, 1, 2, 5, 7, 30),
    }),
    { minLength: 1, maxLength: 6 },
  )
  .map((drawn) => {
    let next = FIRST;
    return drawn.map(({ probeId, samples: own, isSealed, gap }) => {
      const { first, last } = spanOf(own);
      const start = Math.max(FIRST, next + 60 * gap);
      next = start + last - first + 60;
      const moved = own.map((each) => ({ ...each, bucket: each.bucket - first + start }));
      return { probeId, samples: moved, level: isSealed ? SEALED_LEVEL : 0 };
    });
  });

function spanOf(list: TestSegment['samples']): { readonly first: number; readonly last: number } {
  const buckets = list.map(({ bucket }) => bucket);
  return { first: Math.min(...buckets), last: Math.max(...buckets) };
}

/** A time near the end of a segment; `near`: minutes after it. */
const ends = fc.record({
  index: fc.nat({ max: 40 }),
  near: fc.integer({ min: -6, max: 6 }),
  seconds: fc.constantFrom(0, 0, 1, 30),
});

const requests = fc.record({
  ends: fc.tuple(ends, ends),
  probeId: fc.constantFrom(null, null, 0, 5),
  meterIndex: meterIndexes,
  /** Segments to leave out, by index, as if they had been dropped. */
  dropped: fc.array(fc.nat({ max: 5 }), { maxLength: 1 }),
  asks: fc.constantFrom('values', 'values and series', 'ranking'),
  percentile: fc.constantFrom(null, 0, 50, 95, 100),
});

const RANKS = [0, 33, 50, 95, 100];

describe('values in sealed segments that are cached', () => {
  it('are those of the window, whatever was asked before', async () => {
    await fc.assert(
      fc.asyncProperty(
        segments,
        fc.array(requests, { minLength: 2, maxLength: 8 }),
        async (contents, asked) => {
          const store = storeOf(contents);
          const times = contents.flatMap(({ samples: own }) => {
            const { first, last } = spanOf(own);
            return [first, last + 60];
          });
          const keys = [...new Set(contents.flatMap((each) => each.samples.map(({ key }) => key)))];
          for (const { ends: both, probeId, meterIndex, dropped, asks, percentile } of asked) {
            const [a = 0, b = 0] = both.map(
              (end) => (times[end.index % times.length] ?? 0) + 60 * end.near + end.seconds,
            );
            const interval = { from: Math.min(a, b), to: Math.max(a, b) };
            if (isEmpty(interval)) continue;
            const read = readOf(meterIndex, interval, probeId);
            const isLive = (_: unknown, i: number): boolean => !dropped.includes(i);
            // Its segments have equal ids and contents, and nothing is cached.
            const fresh = storeOf(contents);
            const [live, same] = [store, fresh].map((each) => each.segments.filter(isLive));
            if (!live || !same) throw new Error('two stores');
            if (asks === 'ranking') {
              const question = rankingOf(interval, percentile);
              expect(await ranked(store, live, { read, question })).toEqual(
                await ranked(fresh, same, { read, question }),
              );
              continue;
            }
            const some = { read, keys: keys.slice(0, 4), isWithSeries: asks !== 'values' };
            const values = await selected(store, live, some);
            const expected = await expectedValues(fresh, same, some);
            expect(values.map((each, i) => isSameValue(each, expected[i] ?? null))).toEqual(
              expected.map(() => true),
            );
          }
        },
      ),
      { numRuns: FUZZ_CASES },
    );
  });
});

const bucketCountOf = (interval: Interval): number => stepsOf(interval, 60, TOPPER_BUCKET).count;

const rankingOf = (interval: Interval, percentile: number | null): SeriesQuestion => ({
  kind: 'series',
  percentile,
  bucketCount: bucketCountOf(interval),
  within: null,
  passing: null,
  maxItems: 3,
});

async function ranked(
  { reader }: TestStore,
  live: readonly ScopedSegment[],
  { read, question }: { readonly read: MeterScan; readonly question: SeriesQuestion },
) {
  const asked = { group: GROUP, read, question };
  return (await rankBySeries(reader, { segments: live, rollUps: [] }, asked, { deadline: null }))
    .listed;
}

type Some = {
  readonly read: MeterScan;
  readonly keys: readonly string[];
  readonly isWithSeries: boolean;
};

/** The values at all ranks, key by key. */
async function selected(
  { reader }: TestStore,
  live: readonly ScopedSegment[],
  { read, keys, isWithSeries }: Some,
): Promise<(Exact | null)[]> {
  const bucketCount = isCounting(read.aggregate) ? bucketCountOf(read.interval) : null;
  const request = { group: GROUP, read, stepSeconds: TOPPER_BUCKET };
  const found = await readKeySeries(
    reader,
    live,
    [
      ...keys.map((key) => ({ ...request, key, question: { ranks: RANKS, bucketCount } })),
      ...(isWithSeries ? keys.map((key) => ({ ...request, key, question: null })) : []),
    ],
    null,
  );
  return found.flatMap(({ values }) => values ?? []);
}

/** The same, selected from the whole series by plain arithmetic. */
async function expectedValues(
  { reader }: TestStore,
  live: readonly ScopedSegment[],
  { read, keys }: Some,
): Promise<(Exact | null)[]> {
  const request = { group: GROUP, read, stepSeconds: TOPPER_BUCKET, question: null };
  const found = await readKeySeries(
    reader,
    live,
    keys.map((key) => ({ ...request, key })),
    null,
  );
  return found.flatMap(({ series }) => {
    const values = valuesOf(series);
    const zeros = isCounting(read.aggregate) ? bucketCountOf(read.interval) - values.length : 0;
    return RANKS.map((rank) => plainPercentile(values, zeros, rank));
  });
}

const valuesOf = (series: StepSeries | null): Exact[] =>
  series ? Array.from(series.ids, (_, i) => stepValue(series, i)) : [];
