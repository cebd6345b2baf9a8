import { type Lanes, laneValue } from '../codes/lanes.ts';
import { keyListPart } from '../merge/key-list-parts.ts';
import { RANGE_LIMITS, type RangeLimits } from '../merge/merge-ranges.ts';
import type { KeyRange } from '../readings/key-range.ts';
import { combineReadings, type Readings } from '../readings/readings.ts';
import type { SegmentShape } from '../shape.ts';
import { GatheredColumn } from './gathered-column.ts';
import { KeyTable } from './key-table.ts';
import { sortKeys } from './sort-keys.ts';

const FIRST_CAPACITY = 64;

/**
 * Readings as they come, in any order and with repetitions, in arrays of numbers: none is an object
 * that the garbage collector would have to look at.
 */
export class ReadingGatherer {
  readonly keys = new KeyTable();
  rowCount = 0;
  readonly #shape: SegmentShape;
  #capacity = FIRST_CAPACITY;
  /** By row, indexes of buckets in the order in which they came. */
  #buckets = new Uint32Array(FIRST_CAPACITY);
  readonly #bucketStarts: number[] = [];
  readonly #bucketIndexes = new Map<number, number>();
  #lastBucket = 0;
  #keyIndexes = new Uint32Array(FIRST_CAPACITY);
  #values: readonly (GatheredColumn | null)[];
  #counts: readonly (GatheredColumn | null)[];

  constructor(shape: SegmentShape) {
    this.#shape = shape;
    this.#values = valueColumns(shape, FIRST_CAPACITY);
    this.#counts = countColumns(shape, FIRST_CAPACITY);
  }

  get sizeBytes(): number {
    let bytes = this.keys.sizeBytes + this.#buckets.byteLength + this.#keyIndexes.byteLength;
    for (const column of this.#values) if (column) bytes += column.sizeBytes;
    for (const column of this.#counts) if (column) bytes += column.sizeBytes;
    return bytes;
  }

  /** Adds a row; its values are to be put next. Gives its number. */
  addRow(bucket: number, keyIndex: number): number {
    const row = this.rowCount;
    if (row === this.#capacity) this.#grow();
    this.#buckets[row] = this.#indexOf(bucket);
    this.#keyIndexes[row] = keyIndex;
    this.rowCount = row + 1;
    return row;
  }

  #indexOf(bucket: number): number {
    // Most rows are of the same bucket as the one before.
    if (this.#bucketStarts[this.#lastBucket] === bucket) return this.#lastBucket;
    const index = this.#bucketIndexes.get(bucket) ?? this.#bucketStarts.push(bucket) - 1;
    this.#bucketIndexes.set(bucket, index);
    this.#lastBucket = index;
    return index;
  }

  /** place: slot − 1. */
  putValue(place: number, row: number, value: number | bigint): void {
    this.#values[place]?.put(row, value);
  }

  /** Of how many readings a mean's value is the sum, where it is not one. */
  putCount(place: number, row: number, count: number | bigint): void {
    this.#counts[place]?.put(row, count);
  }

  /** Leaves one row of each key and bucket, so that there is room for more. */
  combine(): void {
    const indexes = Uint32Array.from({ length: this.keys.count }, (_, index) => index);
    const parts = [...this.#parts(indexes, RANGE_LIMITS)];
    const rowCount = parts.reduce((sum, { readings }) => sum + readings.ordinals.length, 0);
    this.#clear(Math.max(FIRST_CAPACITY, rowCount));
    for (const { readings, from } of parts) this.#addReadings(readings, from);
  }

  #clear(capacity: number): void {
    this.rowCount = 0;
    this.#capacity = capacity;
    this.#buckets = new Uint32Array(capacity);
    this.#keyIndexes = new Uint32Array(capacity);
    this.#values = valueColumns(this.#shape, capacity);
    this.#counts = countColumns(this.#shape, capacity);
  }

  /** Adds readings whose ordinals are indexes of keys, less `first`. */
  #addReadings({ starts, ends, ordinals, columns }: Readings, first: number): void {
    const firstRow = this.rowCount;
    for (let bucket = 0, row = 0; bucket < ends.length; bucket += 1) {
      for (; row < (ends[bucket] as number); row += 1) {
        this.addRow(starts[bucket] as number, first + (ordinals[row] as number));
      }
    }
    for (const [place, column] of columns.entries()) {
      if (!column) continue;
      const { values, counts } = column;
      for (let row = 0; row < ordinals.length; row += 1) {
        if (Number.isNaN(values.low[row])) continue;
        this.putValue(place, firstRow + row, numberAt(values, row));
        if (counts) this.putCount(place, firstRow + row, numberAt(counts, row));
      }
    }
  }

  /** All that was gathered, as ranges of ascending keys, each row one of a key and bucket. */
  *ranges(limits: RangeLimits = RANGE_LIMITS): Generator<KeyRange> {
    const { keys, ranks } = sortKeys(this.keys);
    for (const { readings, from } of this.#parts(ranks, limits)) {
      yield { keys: keyListPart(keys, from, from + readings.keyCount), readings };
    }
  }

  /** All rows, those of ranks that follow each other in one part, combined. */
  *#parts(ranks: Uint32Array, limits: RangeLimits): Generator<RankedReadings> {
    const { rows, ends } = this.#rowsByRank(ranks);
    let from = 0;
    while (from < ends.length) {
      const to = rangeEnd(ends, from, limits);
      const own = rows.subarray(from === 0 ? 0 : (ends[from - 1] as number), ends[to - 1]);
      yield { readings: this.#readings(own, { ranks, from, to }), from };
      from = to;
    }
  }

  /** Rows in the order of their keys' ranks; those of a rank end at ends[rank]. */
  #rowsByRank(ranks: Uint32Array): { rows: Uint32Array; ends: Uint32Array } {
    const { count } = this.keys;
    const next = new Uint32Array(count + 1);
    for (let row = 0; row < this.rowCount; row += 1) {
      const after = (ranks[this.#keyIndexes[row] as number] as number) + 1;
      next[after] = (next[after] as number) + 1;
    }
    for (let rank = 0; rank < count; rank += 1) {
      next[rank + 1] = (next[rank + 1] as number) + (next[rank] as number);
    }
    const rows = new Uint32Array(this.rowCount);
    for (let row = 0; row < this.rowCount; row += 1) {
      const rank = ranks[this.#keyIndexes[row] as number] as number;
      const at = next[rank] as number;
      rows[at] = row;
      next[rank] = at + 1;
    }
    return { rows, ends: next.subarray(0, count) };
  }

  #readings(byRank: Uint32Array, { ranks, from, to }: RankRange): Readings {
    const { rows, starts, ends } = this.#byBucket(byRank);
    const ordinals = new Uint32Array(rows.length);
    for (let i = 0; i < rows.length; i += 1) {
      ordinals[i] = (ranks[this.#keyIndexes[rows[i] as number] as number] as number) - from;
    }
    const columns = this.#values.map((values, place) => {
      if (!values?.isUsed) return null;
      const picked = values.pick(rows);
      const counts = this.#counts[place];
      return {
        values: picked,
        counts: counts?.isUsed ? countsOf(counts.pick(rows), picked) : null,
      };
    });
    const readings = { keyCount: to - from, starts, ends, ordinals, columns };
    return hasRepetitions(readings) ? this.#combined(readings) : readings;
  }

  #combined(readings: Readings): Readings {
    const { bucketSeconds, folds } = this.#shape;
    const grid = { keyCount: readings.keyCount, stepSeconds: bucketSeconds, folds };
    return combineReadings([{ readings, ordinalMap: null }], grid);
  }

  /** Rows in the order of buckets, those of a bucket in the order that they were in. */
  #byBucket(rows: Uint32Array) {
    const counts = new Uint32Array(this.#bucketStarts.length);
    for (let i = 0; i < rows.length; i += 1) {
      const bucket = this.#buckets[rows[i] as number] as number;
      counts[bucket] = (counts[bucket] as number) + 1;
    }
    const order = Array.from(counts.keys())
      .filter((bucket) => counts[bucket] !== 0)
      .sort((a, b) => (this.#bucketStarts[a] as number) - (this.#bucketStarts[b] as number));
    const ends = new Uint32Array(order.length);
    const next = new Uint32Array(counts.length);
    let end = 0;
    for (const [i, bucket] of order.entries()) {
      next[bucket] = end;
      end += counts[bucket] as number;
      ends[i] = end;
    }
    const sorted = new Uint32Array(rows.length);
    for (let i = 0; i < rows.length; i += 1) {
      const row = rows[i] as number;
      const bucket = this.#buckets[row] as number;
      const at = next[bucket] as number;
      sorted[at] = row;
      next[bucket] = at + 1;
    }
    const starts = Float64Array.from(order, (bucket) => this.#bucketStarts[bucket] as number);
    return { rows: sorted, starts, ends };
  }

  #grow(): void {
    this.#capacity *= 2;
    const buckets = new Uint32Array(this.#capacity);
    buckets.set(this.#buckets);
    this.#buckets = buckets;
    const keyIndexes = new Uint32Array(this.#capacity);
    keyIndexes.set(this.#keyIndexes);
    this.#keyIndexes = keyIndexes;
    for (const column of this.#values) column?.grow(this.#capacity);
    for (const column of this.#counts) column?.grow(this.#capacity);
  }
}

/** Readings of ranks from `from` on; their ordinals count from there. */
type RankedReadings = { readonly readings: Readings; readonly from: number };

const valueColumns = ({ folds }: SegmentShape, capacity: number) =>
  folds.map((fold) => (fold === null ? null : new GatheredColumn(capacity, Number.NaN)));

const countColumns = ({ folds }: SegmentShape, capacity: number) =>
  folds.map((fold) => (fold === 'mean' ? new GatheredColumn(capacity, 1) : null));

const numberAt = (lanes: Lanes, row: number): number | bigint =>
  lanes.high === null ? (lanes.low[row] as number) : laneValue(lanes, row);

/** Ranks from `from` to before `to`. */
type RankRange = { readonly ranks: Uint32Array; readonly from: number; readonly to: number };

/** As many keys as a range may have, of as many rows, one at least. */
function rangeEnd(ends: Uint32Array, from: number, limits: RangeLimits): number {
  const before = from === 0 ? 0 : (ends[from - 1] as number);
  let to = from + 1;
  while (
    to < ends.length &&
    to - from < limits.keys &&
    (ends[to] as number) - before <= limits.rows
  ) {
    to += 1;
  }
  return to;
}

/** Where there is no reading, none is counted. */
function countsOf(counts: Lanes, { low }: Lanes): Lanes {
  for (let row = 0; row < low.length; row += 1) {
    if (!Number.isNaN(low[row])) continue;
    counts.low[row] = 0;
    if (counts.high !== null) counts.high[row] = 0;
  }
  return counts;
}

function hasRepetitions({ ordinals, ends }: Readings): boolean {
  let from = 0;
  for (const to of ends) {
    for (let row = from + 1; row < to; row += 1) {
      if (ordinals[row] === ordinals[row - 1]) return true;
    }
    from = to;
  }
  return false;
}
