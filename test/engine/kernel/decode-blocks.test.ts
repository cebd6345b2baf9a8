import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { runWhole } from '../../../domain/sliced.ts';
import { decodeBlock, type SegmentBlock } from '../../../engine/kernel/blocks/decode-blocks.ts';
import {
  type BucketRange,
  cutTile,
  decodeTile,
  type TileRows,
} from '../../../engine/kernel/blocks/tile-rows.ts';
import { type KeyList, keyAt } from '../../../segments/keys/key-list.ts';
import type { LocatedRange, LocatedTile } from '../../../segments/pages/directory.ts';
import { readKeys, spanOf } from '../../../segments/pages/read-range.ts';
import type { SectionLocation, Sections } from '../../../segments/pages/sections.ts';
import { tileGrid, tileOf } from '../../../segments/tiles/tile-seconds.ts';
import {
  CODEC,
  openSegment,
  type PlainSample,
  type PlainTable,
  plainTable,
  readingAt,
  SHAPE,
  samples,
  sorted,
  writeSegment,
} from '../../segments/plain-segments.ts';

const { bucketSeconds, aggregates } = SHAPE;
const HOUR = 3600;
const METERS = aggregates.flatMap((aggregate, meterIndex) =>
  aggregate ? [{ aggregate, meterIndex }] : [],
);

type Opened = {
  readonly ranges: readonly LocatedRange[];
  readonly sections: Sections;
  readonly lists: readonly KeyList[];
};

function open(list: readonly PlainSample[]): Opened {
  const { directory, sections } = openSegment(writeSegment(list));
  const { ranges } = directory;
  const lists = ranges.map((range) => readKeys(range, CODEC, sections));
  return { ranges, sections, lists };
}

function keyOf({ ranges, lists }: Opened, id: number): string {
  const index = ranges.findLastIndex(({ firstOrdinal }) => firstOrdinal <= id);
  const { firstOrdinal = 0 } = ranges[index] ?? {};
  return CODEC.decode(keyAt(lists[index] as KeyList, id - firstOrdinal));
}

/** Adds the readings of a block; its time is `at`. */
function addBlock(
  table: PlainTable,
  opened: Opened,
  { block: { ids, column }, at }: { readonly block: SegmentBlock; readonly at: string },
): void {
  for (const [row, id] of ids.entries()) {
    const reading = column && readingAt(column, row);
    if (reading) table.set(`${keyOf(opened, id)} ${at}`, reading);
  }
}

/** Decodes a block of all ranges. placeOf: null: the range does not have the block. */
function blockOf(
  { ranges, sections }: Opened,
  meterIndex: number,
  placeOf: (range: LocatedRange) => {
    readonly keys: SectionLocation | null;
    readonly totals: readonly (SectionLocation | null)[];
  } | null,
): SegmentBlock {
  const stored = ranges.flatMap((range) => {
    const place = placeOf(range);
    if (!place) return [];
    const { firstOrdinal, keyCount } = range;
    const totals = place.totals[meterIndex] ?? null;
    return [
      {
        firstOrdinal,
        keyCount,
        keys: place.keys && sections(place.keys),
        totals: totals && sections(totals),
      },
    ];
  });
  return runWhole(decodeBlock(stored));
}

const startsOf = ({ ranges }: Opened): number[] => [
  ...new Set(ranges.flatMap(({ tiles }) => tiles.map(({ start }) => start))),
];

const tileAt = ({ tiles }: LocatedRange, start: number): LocatedTile | null =>
  tiles.find((tile) => tile.start === start) ?? null;

const onlyMeter = (table: PlainTable, meterIndex: number): PlainTable =>
  new Map([...table].filter(([at]) => at.endsWith(` ${meterIndex}`)));

/** meterIndex null: only keys and times. */
function rowsOf(
  { ranges, sections }: Opened,
  start: number,
  meterIndex: number | null,
): TileRows[] {
  return ranges.flatMap((range) => {
    const { keys = null, times = null, totals, values } = tileAt(range, start) ?? {};
    if (!keys || !times) return [];
    const at = (own: LocatedTile['totals'] = []) =>
      meterIndex === null ? null : (own[meterIndex] ?? null);
    const ofTotals = at(totals);
    const ofValues = at(values);
    const { firstOrdinal, keyCount } = range;
    const stored = {
      firstOrdinal,
      keyCount,
      keys: sections(keys),
      times: sections(times),
      totals: ofTotals && sections(ofTotals),
      values: ofValues && sections(ofValues),
    };
    return [runWhole(decodeTile(stored))];
  });
}

/** Parts of a tile, which may overlap. */
const parts: fc.Arbitrary<BucketRange[]> = fc.array(
  fc
    .tuple(fc.nat({ max: 59 }), fc.integer({ min: 1, max: 60 }))
    .map(([first, length]) => ({ first, end: Math.min(60, first + length) })),
  { minLength: 1, maxLength: 6 },
);

function expectShared({ ids, column }: SegmentBlock): void {
  expect(ids.buffer).toBeInstanceOf(SharedArrayBuffer);
  for (const lanes of [column?.values, column?.counts]) {
    if (lanes) expect(lanes.low.buffer).toBeInstanceOf(SharedArrayBuffer);
    if (lanes?.high) expect(lanes.high.buffer).toBeInstanceOf(SharedArrayBuffer);
  }
}

describe('blocks of a segment', () => {
  it('combine those of all its ranges, in memory that threads share', () => {
    fc.assert(
      fc.property(samples, (list) => {
        const opened = open(list);
        for (const { meterIndex } of METERS) {
          const tiles: PlainTable = new Map();
          for (const start of startsOf(opened)) {
            const block = blockOf(opened, meterIndex, (range) => tileAt(range, start));
            addBlock(tiles, opened, { block, at: `${start} ${meterIndex}` });
            expectShared(block);
          }
          expect(sorted(tiles)).toEqual(sorted(onlyMeter(plainTable(list, HOUR), meterIndex)));
          const span: PlainTable = new Map();
          const block = blockOf(opened, meterIndex, spanOf);
          const first = Math.min(...list.map(({ bucket }) => bucket));
          addBlock(span, opened, { block, at: `${first} ${meterIndex}` });
          const whole = plainTable(list, Number.POSITIVE_INFINITY);
          expect(sorted(span)).toEqual(sorted(onlyMeter(whole, meterIndex)));
        }
      }),
      { numRuns: 100 },
    );
  });
});

describe('parts of a tile', () => {
  it('have the readings of their buckets, however they overlap', () => {
    fc.assert(
      fc.property(samples, parts, (list, asked) => {
        const opened = open(list);
        for (const { meterIndex, aggregate } of METERS) {
          for (const start of startsOf(opened)) {
            const ranges = rowsOf(opened, start, meterIndex);
            const blocks = runWhole(cutTile({ aggregate, ranges, parts: asked }));
            expect(blocks.length).toBe(asked.length);
            for (const [i, block] of blocks.entries()) {
              const own = list.filter(({ bucket }) => isWithin(bucket, start, asked[i]));
              const table: PlainTable = new Map();
              addBlock(table, opened, { block, at: `${start} ${meterIndex}` });
              const expected = onlyMeter(plainTable(own, HOUR), meterIndex);
              expect(sorted(table)).toEqual(sorted(expected));
              const keys = new Set(own.map(({ key }) => key));
              expect(new Set(Array.from(block.ids, (id) => keyOf(opened, id)))).toEqual(keys);
              expect(Array.from(block.ids)).toEqual(ascending(block.ids));
              expectShared(block);
            }
          }
        }
      }),
      { numRuns: 100 },
    );
  });

  it('have the keys with a reading of any meter if only keys are asked for', () => {
    fc.assert(
      fc.property(samples, parts, (list, asked) => {
        const opened = open(list);
        for (const start of startsOf(opened)) {
          const ranges = rowsOf(opened, start, null);
          const blocks = runWhole(cutTile({ aggregate: 'sum', ranges, parts: asked }));
          for (const [i, { ids, column }] of blocks.entries()) {
            const own = list.filter(({ bucket }) => isWithin(bucket, start, asked[i]));
            const keys = new Set(own.map(({ key }) => key));
            expect(new Set(Array.from(ids, (id) => keyOf(opened, id)))).toEqual(keys);
            expect(ids.length).toBe(keys.size);
            expect(column).toBeNull();
          }
        }
      }),
      { numRuns: 50 },
    );
  });
});

function isWithin(bucket: number, tile: number, { first, end }: BucketRange = NONE): boolean {
  const index = (bucket - tileGrid(tile, bucketSeconds).origin) / bucketSeconds;
  return tileOf(bucket, HOUR) === tile && index >= first && index < end;
}

const NONE: BucketRange = { first: 0, end: 0 };

const ascending = (ids: Uint32Array): number[] => [...new Set(ids)].sort((a, b) => a - b);
