import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { floorTo } from '../../../domain/time/interval.ts';
import type { Exact } from '../../../domain/toppers/exact.ts';
import { isCounting } from '../../../domain/toppers/meter-type.ts';
import { readKeySteps } from '../../../resolvers/loaders/series/key-steps.ts';
import {
  type StepSeries,
  stepAt,
  stepValue,
} from '../../../resolvers/loaders/series/step-series.ts';
import { FOLDS, type PlainSample, plainTable } from '../../segments/plain-segments.ts';
import { foldAt, places, readOf, stores, type Window, windows } from '../random-stores.ts';
import { GROUP, storeOf, type TestSegment } from '../stored-segments.ts';

type Asked = {
  readonly place: number;
  readonly window: Window;
  readonly probeId: number | null;
  readonly stepSeconds: number;
};

/** Returns, by step, the value of a key (null: of all keys), without zeros of counters. */
function plainSteps(
  store: readonly TestSegment[],
  { place, window, probeId, stepSeconds }: Asked,
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
      return Number(of) === place ? [[Number(at), { sum, count }]] : [];
    })
    .filter(([, { sum }]) => sum !== 0n || !isCounting(foldAt(place)))
    .sort(([a], [b]) => a - b);
}

const stepsOf = (series: StepSeries, place: number): [number, Exact][] =>
  Array.from(series.ids, (_, i): [number, Exact] => [
    stepAt(series, i),
    stepValue(series, i),
  ]).filter(([, { sum }]) => sum !== 0n || !isCounting(foldAt(place)));

describe('series over segments', () => {
  it('equal plain arithmetic, of a key and of all keys, whatever the segments', async () => {
    await fc.assert(
      fc.asyncProperty(
        stores,
        windows,
        places,
        fc.record({
          probeId: fc.constantFrom(null, 0, 5),
          stepSeconds: fc.constantFrom(300, 600, 3600),
        }),
        async (contents, window, place, { probeId, stepSeconds }) => {
          const asked = { place, window, probeId, stepSeconds };
          const keys = new Set(contents.flatMap((each) => each.samples.map(({ key }) => key)));
          const { reader, segments } = storeOf(contents);
          const read = readOf(place, window, probeId);
          const requests = [...keys, 'C0.A8.01.FF', null].map((key) => ({
            group: GROUP,
            read,
            stepSeconds,
            key,
          }));
          const found = await readKeySteps(reader, segments, requests, null);
          for (const [i, { key }] of requests.entries()) {
            const series = found[i];
            if (!series) throw new Error('a series was asked for');
            expect(series.origin).toBe(floorTo(window.from, stepSeconds));
            expect(stepsOf(series, place)).toEqual(plainSteps(contents, asked, key));
          }
        },
      ),
      { numRuns: 200 },
    );
  });

  it('are read in one statement if the keys are cached, and in none the second time', async () => {
    const sample = (key: string, minute: number): PlainSample => ({
      key,
      bucket: 1_752_537_600 + 60 * minute,
      readings: FOLDS.map((fold) => (fold ? { value: 3n, count: 1n } : null)),
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
    }));
    const first = await readKeySteps(reader, segments, requests, null);
    expect(store.statements()).toBe(2);
    expect(await readKeySteps(reader, segments, requests, null)).toEqual(first);
    expect(store.statements()).toBe(2);
    const other = requests.map((request) => ({ ...request, read: readOf(1, window, null) }));
    await readKeySteps(reader, segments, other, null);
    expect(store.statements()).toBe(3);
  });
});
