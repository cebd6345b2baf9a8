import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { topperBuckets } from '../../segments/blocks/series.ts';
import { keyAt } from '../../segments/keys/key-list.ts';
import {
  EVER,
  readBlocks,
  readChunk,
  readKeys,
  readRange,
  readTotals,
} from '../../segments/pages/read-range.ts';
import type { KeyRange } from '../../segments/readings/key-range.ts';
import {
  CODEC,
  FOLDS,
  gather,
  openSegment,
  type PlainSample,
  type PlainTable,
  plainTable,
  readingAt,
  SHAPE,
  samples,
  sorted,
  spanOf,
  tableOfRange,
  writeRanges,
  writeSegment,
} from './plain-segments.ts';

const ALL_METERS = FOLDS.map((_, meterIndex) => meterIndex);

const RUNS = { numRuns: 60 };

const joinTables = (tables: readonly PlainTable[]) =>
  sorted(new Map(tables.flatMap((table) => [...table])));

describe('gathered readings', () => {
  it('are sorted and combined, in whatever order and however often their keys come', () => {
    fc.assert(
      fc.property(samples, (list) => {
        const ranges = [...gather(list).ranges({ keys: 7, rows: 40 })];
        expect(joinTables(ranges.map((range) => tableOfRange(range)))).toEqual(
          sorted(plainTable(list)),
        );
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
        expect(joinTables(ranges.map((range) => tableOfRange(range)))).toEqual(
          sorted(plainTable([...before, ...after])),
        );
      }),
      RUNS,
    );
  });
});

describe('a segment', () => {
  it('has the keys and the readings that it was written with', () => {
    fc.assert(
      fc.property(samples, (list) => {
        const { directory, sections } = openSegment(writeSegment(list));
        const ranges = directory.ranges.map((range) =>
          readRange({ directory, range, sections }, CODEC),
        );
        expect(joinTables(ranges.map((range) => tableOfRange(range)))).toEqual(
          sorted(plainTable(list)),
        );
        const keys = ranges.flatMap((range) =>
          Array.from({ length: range.keys.count }, (_, i) => CODEC.decode(keyAt(range.keys, i))),
        );
        expect(keys).toEqual([...new Set(list.map(({ key }) => key))].sort());
        expect(directory.span).toEqual(spanOf(list));
      }),
      RUNS,
    );
  });

  it('has at each level the combined readings of the buckets within each step', () => {
    fc.assert(
      fc.property(samples, (list) => {
        const { directory, sections } = openSegment(writeSegment(list));
        const first = spanOf(list).first;
        const levels = directory.ranges[0]?.levels ?? [];
        for (const [i, { stepSeconds }] of levels.entries()) {
          const tables = directory.ranges.map((range) => {
            const source = { directory, range, sections };
            const level = range.levels[i];
            if (!level) throw new Error('all ranges have the same levels');
            const readings = readBlocks(source, level, { ...EVER, meterIndexes: ALL_METERS });
            const keys = readKeys(range, CODEC, sections);
            const isWhole = !Number.isFinite(stepSeconds);
            return tableOfRange({ keys, readings }, (start) => (isWhole ? first : start));
          });
          expect(joinTables(tables)).toEqual(sorted(plainTable(list, stepSeconds)));
        }
      }),
      RUNS,
    );
  });

  it('yields the blocks of a level within a time span, and only the requested meters', () => {
    fc.assert(
      fc.property(samples, fc.nat({ max: 200 }), fc.nat({ max: 200 }), (list, skipped, length) => {
        const { directory, sections } = openSegment(writeSegment(list));
        const from = spanOf(list).first + skipped * 60;
        const to = from + length * 60;
        const tables = directory.ranges.map((range) => {
          const level = range.levels.at(-1);
          if (!level) throw new Error('a range has blocks');
          const readings = readBlocks({ directory, range, sections }, level, {
            from,
            to,
            meterIndexes: [3],
          });
          return tableOfRange({ keys: readKeys(range, CODEC, sections), readings });
        });
        const wanted = list
          .filter(({ bucket }) => bucket >= from && bucket < to)
          .map((sample) => ({
            ...sample,
            readings: sample.readings.map((reading, meterIndex) =>
              meterIndex === 3 ? reading : null,
            ),
          }));
        expect(joinTables(tables)).toEqual(sorted(plainTable(wanted)));
      }),
      RUNS,
    );
  });

  it('has the series of topper buckets of each key, unless it covers only one', () => {
    fc.assert(
      fc.property(samples, (list) => {
        const { directory, sections } = openSegment(writeSegment(list));
        const { origin, count } = topperBuckets(directory.span, SHAPE.topperBucketSeconds);
        const table: PlainTable = new Map();
        for (const range of directory.ranges) {
          const keys = readKeys(range, CODEC, sections);
          let ordinal = 0;
          for (const chunk of range.series) {
            const question = { shape: SHAPE, meterIndexes: ALL_METERS };
            const { ends, bucketIndexes, columns } = readChunk(
              { directory, sections },
              chunk,
              question,
            );
            let entry = 0;
            for (const end of ends) {
              const key = CODEC.decode(keyAt(keys, ordinal));
              ordinal += 1;
              for (; entry < end; entry += 1) {
                const at = origin + (bucketIndexes[entry] ?? 0) * SHAPE.topperBucketSeconds;
                for (const [meterIndex, column] of columns.entries()) {
                  const reading = column && readingAt(column, entry);
                  if (reading) table.set(`${key} ${at} ${meterIndex}`, reading);
                }
              }
            }
          }
        }
        const wanted = count === 1 ? new Map() : plainTable(list, SHAPE.topperBucketSeconds);
        expect(sorted(table)).toEqual(sorted(wanted));
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
