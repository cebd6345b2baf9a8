import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { keyAt } from '../../segments/keys/key-list.ts';
import { readKeys, readRange, readTotals } from '../../segments/pages/read-range.ts';
import { readSource } from '../../segments/pages/read-source.ts';
import type { SectionLocation } from '../../segments/pages/sections.ts';
import type { KeyRange } from '../../segments/readings/key-range.ts';
import type { SegmentShape } from '../../segments/shape.ts';
import { readTileKeys, readTileTotals } from '../../segments/tiles/tile.ts';
import { checkWholeSegment } from './check-whole-segment.ts';
import {
  CODEC,
  gather,
  openSegment,
  type PlainSample,
  type PlainTable,
  plainTable,
  readingAt,
  SHAPE,
  SMALL,
  samples,
  sorted,
  spanOf,
  tableOfRange,
  writeRanges,
  writeSegment,
} from './plain-segments.ts';

/** Buckets of each kind of tile, some of which do not divide it; topper buckets that straddle. */
const SHAPES: readonly SegmentShape[] = [
  { ...SHAPE, bucketSeconds: 1, topperBucketSeconds: 60 },
  { ...SHAPE, bucketSeconds: 7, topperBucketSeconds: 14 },
  { ...SHAPE, bucketSeconds: 10, topperBucketSeconds: 300 },
  SHAPE,
  { ...SHAPE, bucketSeconds: 60, topperBucketSeconds: 1500 },
  { ...SHAPE, bucketSeconds: 420, topperBucketSeconds: 840 },
  { ...SHAPE, bucketSeconds: 900, topperBucketSeconds: 86_400 },
  { ...SHAPE, bucketSeconds: 3600, topperBucketSeconds: 7200 },
];

/** Moves samples to buckets of another length. */
function spreadOver(list: readonly PlainSample[], { bucketSeconds }: SegmentShape): PlainSample[] {
  const { first } = spanOf(list);
  const from = Math.floor(first / bucketSeconds);
  return list.map((sample) => ({
    ...sample,
    bucket: (from + (sample.bucket - first) / 60) * bucketSeconds,
  }));
}

const writeAs = (list: readonly PlainSample[], shape: SegmentShape) =>
  writeRanges(gather(list).ranges(SMALL), spanOf(list), shape);

function required(location: SectionLocation | null): SectionLocation {
  if (location === null) throw new Error('the section exists');
  return location;
}

const RUNS = { numRuns: 60 };

const joinTables = (tables: readonly PlainTable[]) =>
  sorted(new Map(tables.flatMap((table) => [...table])));

describe('gathered readings', () => {
  it('are sorted and combined, in whatever order and however often their keys come', () => {
    fc.assert(
      fc.property(samples, (list) => {
        const ranges = [...gather(list).ranges({ keys: 7, rows: 40 })];
        expect(joinTables(ranges.map(tableOfRange))).toEqual(sorted(plainTable(list)));
        for (const { keys } of ranges) expect(keys.count).toBeLessThanOrEqual(7);
      }),
      RUNS,
    );
  });
});

describe('readings that are combined before all are gathered', () => {
  it('give the same result, with one row for each key and bucket', () => {
    fc.assert(
      fc.property(samples, samples, (before, after) => {
        const gatherer = gather(before);
        gatherer.combine();
        const rows = new Set(before.map(({ key, bucket }) => `${key} ${bucket}`));
        expect(gatherer.rowCount).toBe(rows.size);
        gather(after, gatherer);
        const ranges = [...gatherer.ranges({ keys: 7, rows: 40 })];
        expect(joinTables(ranges.map(tableOfRange))).toEqual(
          sorted(plainTable([...before, ...after])),
        );
      }),
      RUNS,
    );
  });
});

describe('a segment', () => {
  it.each(SHAPES)(
    'has the keys and the readings it was written with: $bucketSeconds s',
    (shape) => {
      fc.assert(
        fc.property(samples, (list) => {
          const spread = spreadOver(list, shape);
          const { directory, sections } = openSegment(writeAs(spread, shape));
          const ranges = directory.ranges.map((range) =>
            readRange({ directory, range, sections }, CODEC, shape),
          );
          expect(joinTables(ranges.map(tableOfRange))).toEqual(sorted(plainTable(spread)));
          const keys = ranges.flatMap((range) =>
            Array.from({ length: range.keys.count }, (_, i) => CODEC.decode(keyAt(range.keys, i))),
          );
          expect(keys).toEqual([...new Set(list.map(({ key }) => key))].sort());
          expect(directory.span).toEqual(spanOf(spread));
          expect([...checkWholeSegment({ directory, sections, shape, codec: CODEC })]).toEqual([]);
        }),
        RUNS,
      );
    },
  );

  it('has the combined readings of each key over the whole segment', () => {
    fc.assert(
      fc.property(samples, (list) => {
        const { directory, sections } = openSegment(writeSegment(list));
        const tables = directory.ranges.map((range) =>
          tableOfRange(readSource({ range, sections }, CODEC, 7)),
        );
        const whole = list.map((sample) => ({ ...sample, bucket: 7 }));
        expect(joinTables(tables)).toEqual(sorted(plainTable(whole)));
      }),
      RUNS,
    );
  });

  it('has in each tile the keys with a reading, and their combined readings', () => {
    fc.assert(
      fc.property(samples, (list) => {
        const { directory, sections } = openSegment(writeSegment(list));
        const table: PlainTable = new Map();
        for (const range of directory.ranges) {
          const keys = readKeys(range, CODEC, sections);
          for (const { start, keys: listed, totals } of range.tiles) {
            const ordinals = readTileKeys(sections(required(listed)), range.keyCount);
            for (const [meterIndex, location] of totals.entries()) {
              const column = location && readTileTotals(sections(location), ordinals.length);
              for (const [row, ordinal] of ordinals.entries()) {
                const reading = column && readingAt(column, row);
                const key = CODEC.decode(keyAt(keys, ordinal));
                if (reading) table.set(`${key} ${start} ${meterIndex}`, reading);
              }
            }
          }
        }
        expect(sorted(table)).toEqual(sorted(plainTable(list, 3600)));
      }),
      RUNS,
    );
  });

  it('has the totals of all keys by topper bucket', () => {
    fc.assert(
      fc.property(samples, (list) => {
        const { directory } = openSegment(writeSegment(list));
        const readings = readTotals(directory, SHAPE);
        const table: PlainTable = new Map();
        for (const [row, start] of readings.starts.entries()) {
          for (const [meterIndex, column] of readings.columns.entries()) {
            const reading = column && readingAt(column, row);
            if (reading) table.set(`all ${start} ${meterIndex}`, reading);
          }
        }
        const wanted = plainTable(list, SHAPE.topperBucketSeconds, () => 'all');
        expect(sorted(table)).toEqual(sorted(wanted));
      }),
      RUNS,
    );
  });

  it('refuses ranges whose keys do not ascend, or do not fit their readings', () => {
    const sample = (key: string): PlainSample => ({
      key,
      bucket: 600,
      readings: [{ value: 1n, count: 1n }],
    });
    const [range] = gather([sample('C0.A8.01.01')]).ranges();
    const write = () => writeSegment([sample('C0.A8.01.01')]);
    expect(write).not.toThrow();
    if (!range) throw new Error('there is a range');
    expect(() => writeTwice(range)).toThrow('ranges of keys must ascend');
    const other = { ...range, readings: { ...range.readings, keyCount: 2 } };
    expect(() => writeTwice(other)).toThrow('a range of 1 keys has readings of 2');
  });
});

const writeTwice = (range: KeyRange) => writeRanges([range, range], { first: 600, last: 600 });
