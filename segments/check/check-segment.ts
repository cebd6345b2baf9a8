import { SegmentHeads } from '../heads/segment-heads.ts';
import type { KeyCodec } from '../keys/key-codec.ts';
import { compareKeys, type KeyList, keyAt, oneKey } from '../keys/key-list.ts';
import { SECTION_KEYS } from '../keys/key-section.ts';
import type { Directory, LocatedRange } from '../pages/directory.ts';
import { joinTiles, readKeys, readSpan, readTile, readTotals } from '../pages/read-range.ts';
import type { Sections } from '../pages/sections.ts';
import {
  coarserReadings,
  combineReadings,
  type Readings,
  totalsOf,
  WHOLE_SPAN,
} from '../readings/readings.ts';
import type { SegmentShape } from '../shape.ts';
import type { BucketSpan } from '../span.ts';
import { readTileTotals, tileMeters, tileTotals } from '../tiles/tile.ts';
import type { TileReadings } from '../tiles/tile-readings.ts';
import { tileOf, tileSecondsOf } from '../tiles/tile-seconds.ts';
import { checkHeads } from './check-heads.ts';
import { areSameReadings, isSameColumn } from './same-readings.ts';

/*
 * A segment says several things about the same readings, so it can verify itself. The totals of
 * tiles are compared with their readings, the sums of the span with the tiles, heads and head
 * series with both, the totals with the sums of all keys, and the directory with what it lists.
 * That a reading itself is as it was written is what the digests of pages are for.
 */

/** What is known about a segment before any of its pages is read. */
export type SegmentOutline = {
  readonly shape: SegmentShape;
  readonly codec: KeyCodec;
  readonly directory: Directory;
};

/**
 * Checks a segment in steps, for pages that are fetched range by range: call `range` for each of
 * the directory's ranges in order, then `heads`, then `end`. Errors: DamagedSegment.
 */
export class SegmentCheck {
  readonly #outline: SegmentOutline;
  readonly #heads: SegmentHeads;
  #count = 0;
  #totals: Readings | null = null;
  #span: BucketSpan | null = null;

  constructor(outline: SegmentOutline) {
    this.#outline = outline;
    const { shape, directory } = outline;
    const { span, tileSeconds } = directory;
    this.#heads = new SegmentHeads({ shape, span, tileSeconds, isRollUp: false });
  }

  *range(range: LocatedRange, sections: Sections): Generator<string> {
    const { shape, codec } = this.#outline;
    this.#count += 1;
    const keys = readKeys(range, codec, sections);
    const tiles = range.tiles.map((tile) => readTile({ range, sections }, tile));
    const readings = joinTiles(tiles, { range, bucketSeconds: shape.bucketSeconds });
    for (const fault of this.#faults({ range, sections, keys, tiles, readings })) {
      yield `range ${this.#count}: ${fault}`;
    }
    this.#add({ range, sections, keys, tiles, readings });
  }

  /** Checks the heads, after all ranges; `sections` has their pages. */
  *heads(sections: Sections): Generator<string> {
    yield* checkHeads({ ...this.#outline, sections, found: this.#heads.finish() });
  }

  *end(): Generator<string> {
    const { shape, directory } = this.#outline;
    yield* checkOrder(directory.ranges);
    if (this.#span?.first !== directory.span.first || this.#span.last !== directory.span.last) {
      yield 'the readings have another span than the directory says';
    }
    if (this.#totals && !areSameReadings(this.#totals, readTotals(directory, shape))) {
      yield 'the totals are not the sums of all keys';
    }
  }

  *#faults(stored: StoredRange): Generator<string> {
    const { shape, directory } = this.#outline;
    const { readings } = stored;
    yield* checkKeys(stored);
    yield* checkTiles(stored, shape, directory);
    if (
      !readings.ends.every((end, key) => end > (key === 0 ? 0 : (readings.ends[key - 1] as number)))
    ) {
      yield 'a key has no reading';
      return;
    }
    const isOneTile = tileOfSpan(directory, 'first') === tileOfSpan(directory, 'last');
    if ((stored.range.span === null) !== isOneTile) {
      yield `the sums of the span are ${isOneTile ? 'there, for one tile' : 'missing'}`;
      return;
    }
    const sums = coarserReadings(readings, WHOLE_SPAN, shape.aggregates).columns;
    const isRight = readSpan(stored).every((column, meterIndex) =>
      isSameColumn(column, sums[meterIndex] ?? null, readings.keyCount),
    );
    if (!isRight) yield 'the sums of the span are not what its tiles add up to';
  }

  #add({ range, keys, tiles, readings }: StoredRange): void {
    const { aggregates, topperBucketSeconds } = this.#outline.shape;
    const byTopperBucket = coarserReadings(readings, topperBucketSeconds, aggregates);
    const totals = coarserReadings(readings, WHOLE_SPAN, aggregates).columns;
    const { firstOrdinal } = range;
    this.#heads.addRange({ keys, firstOrdinal, byTopperBucket, totals });
    for (const tile of tiles) {
      this.#heads.addTile(tile, tileMeters(tile, aggregates), { keys, firstOrdinal });
    }
    const own = totalsOf(byTopperBucket, topperBucketSeconds, aggregates);
    const parts = this.#totals === null ? [own] : [this.#totals, own];
    this.#totals = combineReadings(
      parts.map((each) => ({ readings: each, ordinalMap: null })),
      { keyCount: 1, aggregates },
    );
    this.#span = widenSpan(this.#span, readings.starts);
  }
}

/** A range as it was read. */
type StoredRange = {
  readonly range: LocatedRange;
  readonly sections: Sections;
  readonly keys: KeyList;
  readonly tiles: readonly TileReadings[];
  readonly readings: Readings;
};

const tileOfSpan = ({ span, tileSeconds }: Directory, end: 'first' | 'last'): number =>
  tileOf(span[end], tileSeconds);

function* checkOrder(ranges: readonly LocatedRange[]): Generator<string> {
  for (const [i, { firstKey }] of ranges.entries()) {
    const before = ranges[i - 1];
    if (before && compareKeys(oneKey(before.lastKey), 0, oneKey(firstKey), 0) >= 0) {
      yield `range ${i + 1} begins before the one that it follows has ended`;
    }
  }
}

function* checkKeys({ range, keys }: StoredRange): Generator<string> {
  const isFirst = areBytes(range.firstKey, keyAt(keys, 0));
  if (!isFirst || !areBytes(range.lastKey, keyAt(keys, keys.count - 1))) {
    yield 'its first or last key is not the one that the directory says';
  }
  if (!range.sectionKeys.every((key, i) => isKeyAt(keys, (i + 1) * SECTION_KEYS, key))) {
    yield 'a section of its keys begins with another key than the directory says';
  }
}

function* checkTiles(
  { range, sections, tiles }: StoredRange,
  { bucketSeconds, aggregates }: SegmentShape,
  { tileSeconds }: Directory,
): Generator<string> {
  if (tileSeconds !== tileSecondsOf(bucketSeconds)) {
    yield `its tiles have ${tileSeconds} s, not ${tileSecondsOf(bucketSeconds)}`;
  }
  for (const [i, tile] of tiles.entries()) {
    // Buckets are counted from the first that starts in the tile.
    const most = Math.ceil(tileSeconds / bucketSeconds);
    if (tile.buckets.some((bucket) => bucket >= most)) yield 'a tile has a bucket of another tile';
    for (const [meterIndex, column] of tile.columns.entries()) {
      const location = range.tiles[i]?.totals[meterIndex] ?? null;
      const aggregate = aggregates[meterIndex] ?? null;
      if (!column || !location || aggregate === null) continue;
      const stored = readTileTotals(sections(location), tile.ordinals.length);
      const sums = tileTotals(column, tile.ends, aggregate);
      if (!isSameColumn(stored, sums, tile.ordinals.length)) {
        yield 'the totals of a tile are not what its readings add up to';
      }
    }
  }
}

const isKeyAt = (keys: KeyList, ordinal: number, key: Uint8Array): boolean =>
  ordinal < keys.count && areBytes(keyAt(keys, ordinal), key);

const areBytes = (a: Uint8Array, b: Uint8Array): boolean => Buffer.compare(a, b) === 0;

function widenSpan(span: BucketSpan | null, starts: Float64Array): BucketSpan {
  let first = span?.first ?? Number.POSITIVE_INFINITY;
  let last = span?.last ?? Number.NEGATIVE_INFINITY;
  for (const start of starts) {
    if (start < first) first = start;
    if (start > last) last = start;
  }
  return { first, last };
}
