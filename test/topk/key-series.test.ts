import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Exact } from '../../domain/exact.ts';
import type { Fold } from '../../domain/meter-type.ts';
import { groupSeries, keySeries, seriesGrid, WHOLE_GROUP } from '../../topk/key-series.ts';
import type { ShardBlock } from '../../topk/packed-run.ts';
import {
  foldTwo,
  isSaid,
  meaningOf,
  type PlainBlock,
  type PlainReading,
  plainBlockOf,
  shardBlockOf,
} from './plain-blocks.ts';
import { blocksOf, readingOf, smallReadingOf, someFolds } from './random-blocks.ts';

const DAY = 86_400;
const T0 = 1_721_001_600;

/** A key beyond those of the random blocks. */
const LARGE = 61;

type Folds = (Fold | null)[];

type Slice = {
  readonly folds: Folds;
  readonly blocks: PlainBlock[];
  readonly bucketSeconds: number;
  /** Seconds of a topper bucket. */
  readonly step: number;
};

/** Blocks of one shard of a slice that begins at T0, of numbers of any size or of small ones. */
const sliceOf = (reading: typeof readingOf): fc.Arbitrary<Slice> =>
  fc
    .tuple(
      someFolds,
      fc.constantFrom<[number, number]>([60, 60], [60, 300], [1, 3600], [3600, DAY], [DAY, DAY]),
    )
    .chain(([folds, [bucketSeconds, step]]) =>
      blocksOf(
        { folds, mostId: 60, reading },
        { level: bucketSeconds, from: T0, maxLength: 12 },
      ).map((blocks) => ({ folds, blocks, bucketSeconds, step })),
    );

type Series = Map<string, Map<string, Exact>>;

/** By key, what each topper bucket and slot come to. */
function plainly({ blocks, folds, step }: Slice, keyOf: (id: number) => number): Series {
  const found = new Map<string, Map<string, PlainReading>>();
  for (const { start, rows } of blocks) {
    for (const { id, readings } of rows) {
      for (const [slot, fold] of folds.entries()) {
        if (!fold) continue;
        const key = String(keyOf(id));
        const ofKey = found.get(key) ?? new Map<string, PlainReading>();
        found.set(key, ofKey);
        const place = `${Math.floor(start / step) - Math.floor(T0 / step)} slot ${slot}`;
        ofKey.set(place, foldTwo(ofKey.get(place) ?? null, readings[slot] ?? null, fold));
      }
    }
  }
  const said = ([place, reading]: [string, PlainReading]): [string, Exact][] => {
    const fold = folds[Number(place.split(' ').at(-1))];
    return fold && isSaid(reading, fold) ? [[place, reading]] : [];
  };
  return withoutEmpty(
    new Map([...found].map(([key, of]) => [key, new Map([...of].flatMap(said))])),
  );
}

const withoutEmpty = (series: Series): Series =>
  new Map([...series].filter(([, places]) => places.size > 0));

const shardBlocks = ({ blocks, folds }: Slice): ShardBlock[] =>
  blocks.map((block) => shardBlockOf(block, folds.length));

const seriesOf = (slice: Slice): ShardBlock[] =>
  keySeries(shardBlocks(slice), slice.folds, seriesGrid(T0, slice.step));

const meaning = (series: readonly ShardBlock[], folds: Folds): Series =>
  withoutEmpty(
    new Map(series.map((block) => [String(block.start), meaningOf(plainBlockOf(block), folds)])),
  );

describe.each([
  ['small numbers', smallReadingOf],
  ['numbers of any size', readingOf],
] as const)('the series of keys, of %s', (_, reading) => {
  it('have of each key what each topper bucket comes to', () => {
    const isSame = fc.property(sliceOf(reading), (slice) => {
      expect(meaning(seriesOf(slice), slice.folds)).toEqual(plainly(slice, (id) => id));
    });
    fc.assert(isSame, { numRuns: 200 });
  });

  it('ascend by key, and each by time', () => {
    const isAscending = fc.property(sliceOf(reading), (slice) => {
      const series = seriesOf(slice);
      for (const { ids } of [...series, { ids: series.map(({ start }) => start) }]) {
        expect([...ids]).toEqual([...new Set(ids)].sort((a, b) => a - b));
      }
    });
    fc.assert(isAscending);
  });

  it('of all keys together are one series, of blocks of all shards', () => {
    const isSame = fc.property(sliceOf(reading), (slice) => {
      const all = shardBlocks(slice);
      const whole = groupSeries([...all, ...all], slice.folds, seriesGrid(T0, slice.step));
      expect(whole.start).toBe(WHOLE_GROUP);
      const twice = { ...slice, blocks: [...slice.blocks, ...slice.blocks] };
      expect(meaning([whole], slice.folds)).toEqual(plainly(twice, () => WHOLE_GROUP));
    });
    fc.assert(isSame, { numRuns: 200 });
  });
});

describe('the two ways to make series', () => {
  it('agree: a number too large for doubles changes nothing for the other keys', () => {
    const isSame = fc.property(sliceOf(smallReadingOf), fc.nat(), (slice, place) => {
      const { blocks, folds } = slice;
      const at = place % blocks.length;
      const readings = folds.map((fold) => fold && { sum: 2n ** 60n, count: 1n });
      const large: PlainBlock[] = blocks.map((block, i) =>
        i === at ? { ...block, rows: [...block.rows, { id: LARGE, readings }] } : block,
      );
      const exact = seriesOf({ ...slice, blocks: large }).filter(({ start }) => start !== LARGE);
      expect(meaning(exact, folds)).toEqual(meaning(seriesOf(slice), folds));
    });
    fc.assert(isSame, { numRuns: 200 });
  });
});

describe('a topper bucket', () => {
  it.each<[Fold, bigint]>([
    ['sum', 2n ** 53n + 1n],
    ['mean', 2n ** 53n + 1n],
    ['max', 2n ** 53n - 1n],
  ])('whose %s passes what a double holds is exact', (fold, sum) => {
    const blocks = [2n ** 53n - 1n, 2n].map((value, i) =>
      shardBlockOf(
        { start: T0 + i * 60, rows: [{ id: 0, readings: [{ sum: value, count: 1n }] }] },
        1,
      ),
    );
    for (const series of [
      keySeries(blocks, [fold], seriesGrid(T0, 300)),
      [groupSeries(blocks, [fold], seriesGrid(T0, 300))],
    ]) {
      const [only] = series.map(plainBlockOf);
      expect(only?.rows).toMatchObject([{ id: 0, readings: [{ sum }] }]);
    }
  });
});

describe('the grid of series', () => {
  it.each([
    ['a slice of a day', T0, 300, T0],
    ['a slice of an hour within a longer topper bucket', T0 + 5 * 3600, 7200, T0 + 4 * 3600],
  ])('of %s begins where the topper bucket of its start does', (_, start, step, origin) => {
    expect(seriesGrid(start, step)).toEqual({ origin, stepSeconds: step });
  });

  it('has no place without a reading of any key', () => {
    const rows = [{ id: 2, readings: [{ sum: 5n, count: 1n }] }];
    const blocks = [T0, T0 + 3600].map((start) => shardBlockOf({ start, rows }, 1));
    const [series, ...more] = keySeries(blocks, ['sum'], seriesGrid(T0, 300));
    expect(more).toEqual([]);
    expect([series?.start, ...(series?.ids ?? [])]).toEqual([2, 0, 12]);
  });
});
