import { ByteWriter } from '../codes/bytes.ts';
import type { Column } from '../codes/column.ts';
import { writeColumn } from '../codes/column-code.ts';
import { writeFrames } from '../codes/frames.ts';
import { type StoredHead, writeHead } from '../heads/head.ts';
import {
  type HeadSeries,
  writeHeadSeriesColumn,
  writeHeadSeriesEntries,
  writeHeadSeriesKeys,
} from '../heads/head-series.ts';
import { SegmentHeads } from '../heads/segment-heads.ts';
import type { KeyCodec } from '../keys/key-codec.ts';
import { compareKeys, type KeyList, keyAt, oneKey } from '../keys/key-list.ts';
import { SECTION_KEYS, writeKeySection } from '../keys/key-section.ts';
import type { KeyRange } from '../readings/key-range.ts';
import {
  coarserReadings,
  combineReadings,
  type Readings,
  totalsOf,
  WHOLE_SPAN,
} from '../readings/readings.ts';
import { SOURCE_STEP } from '../roll-up-shape.ts';
import type { SegmentShape } from '../shape.ts';
import type { BucketSpan } from '../span.ts';
import { tileMeters, writeTileKeys, writeTileMeter } from '../tiles/tile.ts';
import { type TileReadings, tilesOf } from '../tiles/tile-readings.ts';
import { tileOf, tileSecondsOf } from '../tiles/tile-seconds.ts';
import { writeTileTimes } from '../tiles/tile-times.ts';
import {
  type ListedHeadSeries,
  type ListedRange,
  type ListedTile,
  writeDirectory,
} from './directory.ts';
import { PageCutter, type StoredPage } from './page-cutter.ts';

/*
 * A segment holds the readings of a counter group over a span of time, and never changes. It is an
 * ascending sequence of *ranges of keys*. Each range has its own sorted dictionary and its tiles,
 * and depends on no other range. So a segment with any number of keys is written, merged and
 * checked in the memory of one range, and a read of a few keys touches one range.
 *
 * Within a range, a key is identified by its rank in the dictionary, its *ordinal*. Each reading is
 * stored once, in the tile of its time (tiles/tile.ts); beside the tiles there is only what answers
 * for long windows: the sums of each key, and the largest keys.
 *
 * A segment is written in this order:
 *
 *     each range    keys     sections of up to 4,096
 *                   span     one section per meter: the combined readings of each key, a column;
 *                            left out if the segment lies in one tile, whose totals say the same
 *                   tiles    keys, times, totals by meter, values by meter
 *     heads         of the span and of tiles of an hour or longer, by meter (heads/head.ts)
 *     head series   (heads/head-series.ts)
 *
 * These sections are cut into pages (page-cutter.ts), and the directory says where they lie.
 */

type SegmentOptions = {
  readonly shape: SegmentShape;
  readonly codec: KeyCodec;
  /** The span of all ranges that will be added. */
  readonly span: BucketSpan;
  /** A random number below 2^32. */
  readonly nonce: number;
  /**
   * Whether it is a roll-up (segments/roll-up-shape.ts): only the keys of its tiles are
   * written.
   */
  readonly isRollUp?: boolean;
};

/** A finished segment: its directory, its last pages, and its size for the manifest. */
type FinishedSegment = {
  readonly directory: Uint8Array;
  /** The pages that addRange has not returned yet. */
  readonly pages: readonly StoredPage[];
  readonly keyCount: number;
  /** One per key and bucket. */
  readonly rowCount: number;
};

export class SegmentWriter {
  readonly #options: SegmentOptions;
  readonly #tileSeconds: number;
  readonly #cutter: PageCutter;
  readonly #ranges: ListedRange[] = [];
  readonly #heads: SegmentHeads;
  #keyCount = 0;
  #totals: Readings | null = null;

  constructor(options: SegmentOptions) {
    const { shape, span, nonce, isRollUp = false } = options;
    this.#options = options;
    this.#tileSeconds = isRollUp ? SOURCE_STEP : tileSecondsOf(shape.bucketSeconds);
    this.#cutter = new PageCutter(nonce);
    this.#heads = new SegmentHeads({ shape, span, tileSeconds: this.#tileSeconds, isRollUp });
  }

  /** Adds a range whose keys come after those of all ranges so far. Returns pages to store. */
  addRange({ keys, readings }: KeyRange): StoredPage[] {
    if (keys.count === 0 || keys.count !== readings.keyCount) {
      throw new Error(`a range of ${keys.count} keys has readings of ${readings.keyCount}`);
    }
    const { shape } = this.#options;
    this.#requireAscending(keys);
    const byTopperBucket = coarserReadings(readings, shape.topperBucketSeconds, shape.aggregates);
    const totals = coarserReadings(byTopperBucket, WHOLE_SPAN, shape.aggregates).columns;
    if (totals.some((column) => column && column.values.low.length !== keys.count)) {
      throw new Error('a key of a range has no reading');
    }
    const firstOrdinal = this.#keyCount;
    this.#keyCount += keys.count;
    this.#addTotals(byTopperBucket);
    this.#heads.addRange({ keys, firstOrdinal, byTopperBucket, totals });
    this.#ranges.push({
      keyCount: keys.count,
      rowCount: readings.starts.length,
      firstKey: keyAt(keys, 0),
      lastKey: keyAt(keys, keys.count - 1),
      keys: this.#writeKeys(keys),
      sectionKeys: firstKeysOfSections(keys).slice(1),
      span: this.#writeSpan(totals, keys.count),
      tiles: tilesOf(readings, this.#tileSeconds, shape).map((tile) =>
        this.#writeTile(tile, { keys, firstOrdinal }),
      ),
    });
    return this.#cutter.takeClosed();
  }

  finish(): FinishedSegment {
    const { shape, span, nonce } = this.#options;
    const found = this.#heads.finish();
    const heads = found && {
      span: this.#writeHeads(found.span),
      tiles: found.tiles.map((tile) => ({ ...tile, heads: this.#writeHeads(tile.heads) })),
    };
    const headSeries = found?.series ? this.#writeSeries(found.series) : null;
    this.#cutter.finish();
    return {
      directory: writeDirectory({
        nonce,
        slots: shape.aggregates.length,
        span,
        tileSeconds: this.#tileSeconds,
        ranges: this.#ranges,
        heads,
        headSeries,
        totals: this.#writeTotals(),
      }),
      pages: this.#cutter.takeClosed(),
      keyCount: this.#keyCount,
      rowCount: this.#ranges.reduce((sum, { rowCount }) => sum + rowCount, 0),
    };
  }

  #requireAscending(keys: KeyList): void {
    const before = this.#ranges.at(-1);
    if (before && compareKeys(oneKey(before.lastKey), 0, keys, 0) >= 0) {
      throw new Error('ranges of keys must ascend');
    }
  }

  #writeKeys(keys: KeyList): number[] {
    const sections: number[] = [];
    for (let from = 0; from < keys.count; from += SECTION_KEYS) {
      const to = Math.min(from + SECTION_KEYS, keys.count);
      const out = new ByteWriter();
      writeKeySection(out, keys, from, to, this.#options.codec);
      sections.push(this.#cutter.add(out.take()));
    }
    return sections;
  }

  get #isOneTile(): boolean {
    const { first, last } = this.#options.span;
    return tileOf(first, this.#tileSeconds) === tileOf(last, this.#tileSeconds);
  }

  #writeSpan(totals: readonly (Column | null)[], keyCount: number): number[] | null {
    if (this.#isOneTile && !this.#options.isRollUp) return null;
    return totals.map((column) => {
      const out = new ByteWriter();
      const isAny = column && writeColumn(out, column, { from: 0, to: keyCount });
      return this.#cutter.add(isAny ? out.take() : null);
    });
  }

  #writeTile(tile: TileReadings, range: RangeKeys): ListedTile {
    const { shape, isRollUp = false } = this.#options;
    const keys = this.#cutter.add(writeTileKeys(tile, range.keys.count));
    if (isRollUp) {
      const none = shape.aggregates.map(() => 0);
      return { start: tile.start, keys, times: 0, totals: none, values: none };
    }
    const times = this.#cutter.add(writeTileTimes(tile));
    const meters = tileMeters(tile, shape.aggregates);
    const sections = meters.map((meter) => meter && writeTileMeter(meter, tile));
    this.#heads.addTile(tile, meters, range);
    return {
      start: tile.start,
      keys,
      times,
      totals: sections.map((each) => this.#cutter.add(each?.totals ?? null)),
      values: sections.map((each) => this.#cutter.add(each?.values ?? null)),
    };
  }

  #writeHeads(heads: readonly (StoredHead | null)[]): number[] {
    return heads.map((head) => this.#cutter.add(head && writeHead(head, this.#options.codec)));
  }

  #writeSeries(found: HeadSeries): ListedHeadSeries {
    const { shape, codec } = this.#options;
    return {
      keys: this.#cutter.add(writeHeadSeriesKeys(found, codec)),
      entries: this.#cutter.add(writeHeadSeriesEntries(found)),
      columns: shape.aggregates.map((_, i) => this.#cutter.add(writeHeadSeriesColumn(found, i))),
    };
  }

  #addTotals(byTopperBucket: Readings): void {
    const { aggregates, topperBucketSeconds } = this.#options.shape;
    const own = totalsOf(byTopperBucket, topperBucketSeconds, aggregates);
    const parts = this.#totals === null ? [own] : [this.#totals, own];
    this.#totals = combineReadings(
      parts.map((readings) => ({ readings, ordinalMap: null })),
      { keyCount: 1, aggregates },
    );
  }

  #writeTotals(): Uint8Array[] {
    const { shape, span } = this.#options;
    const { topperBucketSeconds, aggregates } = shape;
    const totals = this.#totals;
    if (totals === null) throw new Error('a segment has at least one range of keys');
    const { starts, columns } = totals;
    const times = new ByteWriter();
    let before = tileOf(span.first, topperBucketSeconds) - topperBucketSeconds;
    const steps = starts.map((start) => {
      const step = (start - before) / topperBucketSeconds - 1;
      before = start;
      return step;
    });
    times.varint(steps.length);
    writeFrames(times, steps);
    return [
      times.take(),
      ...aggregates.map((_, meterIndex) => {
        const column = columns[meterIndex];
        const out = new ByteWriter();
        if (column) writeColumn(out, column, { from: 0, to: starts.length });
        return out.take();
      }),
    ];
  }
}

type RangeKeys = { readonly keys: KeyList; readonly firstOrdinal: number };

function firstKeysOfSections(keys: KeyList): Uint8Array[] {
  const first: Uint8Array[] = [];
  for (let i = 0; i < keys.count; i += SECTION_KEYS) first.push(keyAt(keys, i));
  return first;
}
