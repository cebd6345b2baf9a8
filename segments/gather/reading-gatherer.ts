import { type Lanes, laneValue } from '../codes/lanes.ts';
import { picked, sortByNumber } from '../codes/sort-by-number.ts';
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
 * Gathers readings in any order and with repetitions, in arrays of numbers: the garbage collector
 * has no objects to trace.
 */
export class ReadingGatherer {
  readonly keys = new KeyTable();
  rowCount = 0;
  readonly #shape: SegmentShape;
  #capacity = FIRST_CAPACITY;
  /** By row: the index of its bucket. Buckets are numbered in order of arrival. */
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

  /** Adds a row and returns its number. The caller puts its values next. */
  addRow(bucket: number, keyIndex: number): number {
    const row = this.rowCount;
    if (row === this.#capacity) this.#grow();
    this.#buckets[row] = this.#indexOf(bucket);
    this.#keyIndexes[row] = keyIndex;
    this.rowCount = row + 1;
    return row;
  }

  #indexOf(bucket: number): number {
    // Most rows have the same bucket as the previous one.
    if (this.#bucketStarts[this.#lastBucket] === bucket) return this.#lastBucket;
    const index = this.#bucketIndexes.get(bucket) ?? this.#bucketStarts.push(bucket) - 1;
    this.#bucketIndexes.set(bucket, index);
    this.#lastBucket = index;
    return index;
  }

  /** meterIndex: counted from 0. */
  putValue(meterIndex: number, row: number, value: number | bigint): void {
    this.#values[meterIndex]?.put(row, value);
  }

  /** Sets how many readings a mean's value is the sum of, if it is not one. */
  putCount(meterIndex: number, row: number, count: number | bigint): void {
    this.#counts[meterIndex]?.put(row, count);
  }

  /** Combines rows until there is one per key and bucket, which makes room for more. */
  combine(): void {
    const indexes = Uint32Array.from({ length: this.keys.count }, (_, index) => index);
    const parts = [...this.#parts(indexes, RANGE_LIMITS)];
    const rowCount = parts.reduce((sum, { readings }) => sum + readings.starts.length, 0);
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

  /** Adds readings whose ordinals are key indexes minus `first`. */
  #addReadings({ keyCount, starts, ends, columns }: Readings, first: number): void {
    const firstRow = this.rowCount;
    for (let key = 0, row = 0; key < keyCount; key += 1) {
      for (; row < (ends[key] as number); row += 1) {
        this.addRow(starts[row] as number, first + key);
      }
    }
    for (const [meterIndex, column] of columns.entries()) {
      if (!column) continue;
      const { values, counts } = column;
      for (let row = 0; row < starts.length; row += 1) {
        if (Number.isNaN(values.low[row])) continue;
        this.putValue(meterIndex, firstRow + row, numberAt(values, row));
        if (counts) this.putCount(meterIndex, firstRow + row, numberAt(counts, row));
      }
    }
  }

  /** Yields everything gathered as ranges of ascending keys, with one row per key and bucket. */
  *ranges(limits: RangeLimits = RANGE_LIMITS): Generator<KeyRange> {
    const { keys, ranks } = sortKeys(this.keys);
    for (const { readings, from } of this.#parts(ranks, limits)) {
      yield { keys: keyListPart(keys, from, from + readings.keyCount), readings };
    }
  }

  /** Yields all rows, combined, in parts of consecutive ranks. */
  *#parts(ranks: Uint32Array, limits: RangeLimits): Generator<RankedReadings> {
    const ranges = rangesOf(this.#rowsOfRanks(ranks), limits);
    const { rows, ends } = this.#rowsByRange(ranks, ranges);
    for (const [i, { from, to }] of ranges.entries()) {
      const own = rows.subarray(i === 0 ? 0 : ends[i - 1], ends[i]);
      yield { readings: this.#readings(own, { ranks, from, to }), from };
    }
  }

  /** Returns the number of rows of each rank. */
  #rowsOfRanks(ranks: Uint32Array): Uint32Array {
    const keyIndexes = this.#keyIndexes;
    const counts = new Uint32Array(this.keys.count);
    for (let row = 0; row < this.rowCount; row += 1) {
      const rank = ranks[keyIndexes[row] as number] as number;
      counts[rank] = (counts[rank] as number) + 1;
    }
    return counts;
  }

  /** Sorts rows by range. Rows of one range stay in order of arrival. */
  #rowsByRange(ranks: Uint32Array, ranges: readonly RankSpan[]) {
    const rangeOfRank = new Uint32Array(this.keys.count);
    for (const [i, { from, to }] of ranges.entries()) rangeOfRank.fill(i, from, to);
    const rangeOfKey = ranks.map((rank) => rangeOfRank[rank] as number);
    const rangeOfRow = new Uint32Array(this.rowCount);
    for (let row = 0; row < rangeOfRow.length; row += 1) {
      rangeOfRow[row] = rangeOfKey[this.#keyIndexes[row] as number] as number;
    }
    return sortByNumber(rangeOfRow, ranges.length);
  }

  /** Builds the readings of a range. `rows` are in order of arrival. */
  #readings(rows: Uint32Array, { ranks, from, to }: RankRange): Readings {
    const count = rows.length;
    const ordinals = new Uint32Array(count);
    const buckets = new Uint32Array(count);
    const present = this.#presentBuckets(rows);
    for (let i = 0; i < count; i += 1) {
      const row = rows[i] as number;
      ordinals[i] = (ranks[this.#keyIndexes[row] as number] as number) - from;
      buckets[i] = present.ordinalOf[this.#buckets[row] as number] as number;
    }
    // Sort by key, then by bucket. Buckets are sorted first because the sort is stable.
    const byBucket = sortByNumber(buckets, present.starts.length).rows;
    const { rows: second, ends } = sortByNumber(picked(ordinals, byBucket), to - from);
    const order = picked(byBucket, second);
    const sorted = picked(rows, order);
    const columns = this.#values.map((values, meterIndex) => {
      if (!values?.isUsed) return null;
      const own = values.pick(sorted);
      const counts = this.#counts[meterIndex];
      return { values: own, counts: counts?.isUsed ? countsOf(counts.pick(sorted), own) : null };
    });
    const starts = new Float64Array(count);
    for (let i = 0; i < count; i += 1) {
      starts[i] = present.starts[buckets[order[i] as number] as number] as number;
    }
    const readings: Readings = { keyCount: to - from, ends, starts, columns };
    return hasRepetitions(readings) ? this.#combined(readings) : readings;
  }

  /** Returns the buckets of the rows, ascending, and by bucket index the position among these. */
  #presentBuckets(rows: Uint32Array): { starts: Float64Array; ordinalOf: Uint32Array } {
    const ordinalOf = new Uint32Array(this.#bucketStarts.length);
    for (const row of rows) ordinalOf[this.#buckets[row] as number] = 1;
    const startOf = (index: number): number => this.#bucketStarts[index] as number;
    const present = Array.from(ordinalOf.keys()).filter((index) => ordinalOf[index] === 1);
    present.sort((a, b) => startOf(a) - startOf(b));
    for (const [ordinal, index] of present.entries()) ordinalOf[index] = ordinal;
    return { starts: Float64Array.from(present, startOf), ordinalOf };
  }

  #combined(readings: Readings): Readings {
    const { keyCount } = readings;
    return combineReadings([{ readings, ordinalMap: null }], {
      keyCount,
      aggregates: this.#shape.aggregates,
    });
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

/** Readings of ranks from `from` on. Their ordinals count from there. */
type RankedReadings = { readonly readings: Readings; readonly from: number };

const valueColumns = ({ aggregates }: SegmentShape, capacity: number) =>
  aggregates.map((aggregate) =>
    aggregate === null ? null : new GatheredColumn(capacity, Number.NaN),
  );

const countColumns = ({ aggregates }: SegmentShape, capacity: number) =>
  aggregates.map((aggregate) => (aggregate === 'mean' ? new GatheredColumn(capacity, 1) : null));

const numberAt = (lanes: Lanes, row: number): number | bigint =>
  lanes.high === null ? (lanes.low[row] as number) : laneValue(lanes, row);

/** Ranks from `from` to before `to`. */
type RankSpan = { readonly from: number; readonly to: number };
type RankRange = RankSpan & { readonly ranks: Uint32Array };

/**
 * Divides the ranks into consecutive ranges within the limits. `rowCounts` is the number of rows of
 * each rank.
 */
function rangesOf(rowCounts: Uint32Array, limits: RangeLimits): RankSpan[] {
  const ranges: RankSpan[] = [];
  let from = 0;
  let rows = 0;
  for (let rank = 0; rank < rowCounts.length; rank += 1) {
    const own = rowCounts[rank] as number;
    const isFull = rank - from >= limits.keys || rows + own > limits.rows;
    if (isFull && rank > from) {
      ranges.push({ from, to: rank });
      from = rank;
      rows = 0;
    }
    rows += own;
  }
  if (rowCounts.length > from) ranges.push({ from, to: rowCounts.length });
  return ranges;
}

/** Sets the count to 0 where there is no reading. */
function countsOf(counts: Lanes, { low }: Lanes): Lanes {
  for (let row = 0; row < low.length; row += 1) {
    if (!Number.isNaN(low[row])) continue;
    counts.low[row] = 0;
    if (counts.high !== null) counts.high[row] = 0;
  }
  return counts;
}

function hasRepetitions({ ends, starts }: Readings): boolean {
  let from = 0;
  for (const to of ends) {
    for (let row = from + 1; row < to; row += 1) if (starts[row] === starts[row - 1]) return true;
    from = to;
  }
  return false;
}
