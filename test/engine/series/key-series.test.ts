import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { SEALED_LEVEL } from '../../../domain/slices/segment-level.ts';
import { floorTo } from '../../../domain/time/interval.ts';
import type { Exact } from '../../../domain/toppers/exact.ts';
import { isCounting } from '../../../domain/toppers/meter-type.ts';
import { type KeySeriesFound, readKeySeries } from '../../../engine/series/key-series.ts';
import { stepAt, stepValue } from '../../../engine/series/step-series.ts';
import { MANY_KEYS_FROM, manySamples } from '../../segments/many-keys.ts';
import { AGGREGATES, type PlainSample, plainTable } from '../../segments/plain-segments.ts';
import { FUZZ_CASES } from '../../support/random/fuzz-cases.ts';
import { plainValues } from '../plain-values.ts';
import {
  aggregateAt,
  meterIndexes,
  readOf,
  stores,
  type Window,
  windows,
} from '../random-stores.ts';
import { GROUP, storeOf, type TestSegment } from '../stored-segments.ts';
import { isSameValue, plainPercentile } from './plain-percentile.ts';

type Asked = {
  readonly meterIndex: number;
  readonly window: Window;
  readonly probeId: number | null;
  readonly stepSeconds: number;
};

/** Returns, by step, the value of a key (null: of all keys), without zeros of counters. */
function plainSteps(
  store: readonly TestSegment[],
  { meterIndex, window, probeId, stepSeconds }: Asked,
  key: string | null,
): [number, Exact][] {
  const list = store
    .filter((segment) => probeId === null || segment.probeId === probeId)
    .flatMap((segment): readonly PlainSample[] => segment.samples)
    .filter(({ bucket }) => bucket >= window.from && bucket < window.to)
    .filter((sample) => key === null || sample.key === key);
  return [...plainTable(list, stepSeconds, () => 'one')]
    .flatMap(([name, { value: sum, count }]): [number, Exact][] => {
      const [, at, of] = name.split(' ');
      return Number(of) === meterIndex ? [[Number(at), { sum, count }]] : [];
    })
    .filter(([, { sum }]) => sum !== 0n || !isCounting(aggregateAt(meterIndex)))
    .sort(([a], [b]) => a - b);
}

function stepsOf(found: KeySeriesFound | undefined, meterIndex: number): [number, Exact][] {
  const series = found?.series;
  if (!series) throw new Error('a series was asked for');
  return Array.from(series.ids, (_, i): [number, Exact] => [
    stepAt(series, i),
    stepValue(series, i),
  ]).filter(([, { sum }]) => sum !== 0n || !isCounting(aggregateAt(meterIndex)));
}

/** Segments of which some are sealed, each later than the one before or at the same time. */
const sealedStores: fc.Arbitrary<TestSegment[]> = stores.chain((contents) =>
  fc
    .tuple(
      ...contents.map(() =>
        fc.record({ isSealed: fc.boolean(), isLater: fc.oneof(fc.constant(true), fc.boolean()) }),
      ),
    )
    .map((draws) => {
      let later = 0;
      return contents.map(({ probeId, samples }, i) => {
        const { isSealed, isLater } = draws[i] ?? {};
        if (isLater) later += 200 * 60;
        const moved = samples.map((each) => ({ ...each, bucket: each.bucket + later }));
        return { probeId, samples: moved, level: isSealed ? SEALED_LEVEL : 0 };
      });
    }),
);

const RANKS = [100, 0, 50, 95, 3];

describe('series over segments', () => {
  it('equal plain arithmetic, of a key and of all keys, whatever the segments', async () => {
    await fc.assert(
      fc.asyncProperty(
        stores,
        windows,
        meterIndexes,
        fc.record({
          probeId: fc.constantFrom(null, 0, 5),
          stepSeconds: fc.constantFrom(300, 600, 3600),
        }),
        async (contents, window, meterIndex, { probeId, stepSeconds }) => {
          const asked = { meterIndex, window, probeId, stepSeconds };
          const keys = new Set(contents.flatMap((each) => each.samples.map(({ key }) => key)));
          const { reader, segments } = storeOf(contents);
          const read = readOf(meterIndex, window, probeId);
          const requests = [...keys, 'C0.A8.01.FF', null].map((key) => ({
            group: GROUP,
            read,
            stepSeconds,
            key,
            question: null,
          }));
          const found = await readKeySeries(reader, segments, requests, null);
          for (const [i, { key }] of requests.entries()) {
            const series = found[i];
            expect(series?.series?.origin).toBe(floorTo(window.from, stepSeconds));
            expect(stepsOf(series, meterIndex)).toEqual(plainSteps(contents, asked, key));
          }
        },
      ),
      { numRuns: FUZZ_CASES },
    );
  });

  it('give values by rank that equal plain arithmetic, cached or not', async () => {
    await fc.assert(
      fc.asyncProperty(
        sealedStores,
        fc.array(windows, { minLength: 1, maxLength: 3 }),
        meterIndexes,
        fc.record({ probeId: fc.constantFrom(null, 0, 5), others: fc.nat({ max: 300 }) }),
        async (contents, shortWindows, meterIndex, { probeId, others }) => {
          const { reader, segments } = storeOf(contents);
          const keys = new Set(contents.flatMap((each) => each.samples.map(({ key }) => key)));
          for (const { from, to } of [...shortWindows, ...shortWindows]) {
            const window = { from, to: to + 3 * (to - from) };
            const asked = { meterIndex, window, probeId, stepSeconds: 300 };
            const read = readOf(meterIndex, window, probeId);
            const expected = [...keys].map((key) => {
              const values = plainSteps(contents, asked, key).map(([, value]) => value);
              const bucketCount = isCounting(read.aggregate) ? values.length + others : null;
              const zeros = bucketCount === null ? 0 : others;
              const at = RANKS.map((rank) => plainPercentile(values, zeros, rank));
              return { key, bucketCount, values: at };
            });
            const requests = expected.map(({ key, bucketCount }) => ({
              group: GROUP,
              read,
              stepSeconds: 300,
              key,
              question: { ranks: RANKS, bucketCount },
            }));
            const found = await readKeySeries(reader, segments, requests, null);
            for (const [i, { values }] of expected.entries()) {
              const own = found[i]?.values ?? [];
              expect(own.map((each, j) => isSameValue(each, values[j] ?? null))).toEqual(
                RANKS.map(() => true),
              );
            }
          }
        },
      ),
      { numRuns: FUZZ_CASES },
    );
  });

  it('are read in one statement if the keys are cached, and in none the second time', async () => {
    const sample = (key: string, minute: number): PlainSample => ({
      key,
      bucket: 1_752_537_600 + 60 * minute,
      readings: AGGREGATES.map((aggregate) => (aggregate ? { value: 3n, count: 1n } : null)),
    });
    const store = storeOf([
      { probeId: 0, samples: [sample('C0.A8.01.01', 0), sample('C0.A8.01.02', 70)] },
      { probeId: 5, samples: [sample('C0.A8.01.02', 3), sample('C0.A8.01.03', 4)] },
    ]);
    const { reader, segments } = store;
    const window = { from: 1_752_537_600, to: 1_752_537_600 + 86_400 };
    const requests = ['C0.A8.01.01', 'C0.A8.01.02', null].map((key) => ({
      group: GROUP,
      read: readOf(0, window, null),
      stepSeconds: 300,
      key,
      question: null,
    }));
    const first = await readKeySeries(reader, segments, requests, null);
    expect(store.statements()).toBe(2);
    expect(await readKeySeries(reader, segments, requests, null)).toEqual(first);
    expect(store.statements()).toBe(2);
    const other = requests.map((request) => ({ ...request, read: readOf(1, window, null) }));
    await readKeySeries(reader, segments, other, null);
    expect(store.statements()).toBe(3);
  });
});

describe('series over a segment of many keys', () => {
  const contents: TestSegment[] = [
    { probeId: 0, samples: manySamples({ keys: 6000, hours: 3, isWide: true }) },
  ];
  const keys = [...new Set(contents[0]?.samples.map(({ key }) => key))].sort();
  const whole = { from: MANY_KEYS_FROM, to: MANY_KEYS_FROM + 3 * 3600 };
  const cut = { from: MANY_KEYS_FROM + 3600, to: MANY_KEYS_FROM + 2 * 3600 };
  const largest = plainValues(contents, { meterIndex: 0, window: whole, probeId: null })
    .slice(0, 5)
    .map(({ key }) => key);
  const others = [keys[0], keys[4500], keys.at(-1), '0A.FF.00.00', 'no address'].flatMap(
    (key) => key ?? [],
  );

  it.each([
    ['of the largest keys', largest, [whole, cut], 2],
    ['of other keys, few of them', others, [whole], 2],
    ['of other keys in a part of the time', others, [cut, whole], 4],
    ['of many keys', [...largest, ...others, ...keys.slice(0, 9)], [whole], 3],
  ])('equal plain arithmetic: %s', async (_, some, spans, most) => {
    const { reader, segments, statements } = storeOf(contents, { keys: 4700, rows: 1_000_000 });
    for (const window of spans) {
      for (const [meterIndex, again] of [0, 3, 1].flatMap((i) => [
        [i, false] as const,
        [i, true] as const,
      ])) {
        const asked = { meterIndex, window, probeId: null, stepSeconds: 300 };
        const read = readOf(meterIndex, window, null);
        const request = { group: GROUP, read, stepSeconds: 300, question: null };
        const before = statements();
        const found = await readKeySeries(
          reader,
          segments,
          some.map((key) => ({ ...request, key })),
          null,
        );
        for (const [i, key] of some.entries()) {
          expect(stepsOf(found[i], meterIndex)).toEqual(plainSteps(contents, asked, key));
        }
        expect(statements() - before).toBeLessThanOrEqual(again ? 0 : most);
      }
    }
  });
});
