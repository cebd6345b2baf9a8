import type { KeyTable } from './key-table.ts';
import { OpenColumn } from './open-column.ts';
import type { Whole } from './whole.ts';

const FIRST_CAPACITY = 16;

/**
 * Readings of one group and probe, a row for each set of them, in arrays that grow: a reading takes
 * eight bytes, and none is an object that the garbage collector would have to look at.
 */
export class ReadingRows {
  readonly keys: KeyTable;
  rowCount = 0;
  /** Epoch seconds. */
  buckets: Float64Array;
  /** Indexes in `keys`. */
  keyIndexes: Uint32Array;
  /** By slot − 1. */
  readings: readonly OpenColumn[];
  /** By slot − 1; null unless the slot's fold is `mean`; 1 where nothing else was said. */
  counts: readonly (OpenColumn | null)[];
  #capacity: number;

  constructor(keys: KeyTable, capacity: number = FIRST_CAPACITY) {
    const { folds } = keys.group;
    this.keys = keys;
    this.#capacity = capacity;
    this.buckets = new Float64Array(capacity);
    this.keyIndexes = new Uint32Array(capacity);
    this.readings = folds.map(() => new OpenColumn(capacity));
    this.counts = folds.map((fold) => (fold === 'mean' ? new OpenColumn(capacity) : null));
  }

  /** Adds a row; its columns are to be set next. Gives its number. */
  addRow(bucket: number, keyIndex: number): number {
    const row = this.rowCount;
    if (row === this.#capacity) this.#grow();
    this.buckets[row] = bucket;
    this.keyIndexes[row] = keyIndex;
    this.rowCount = row + 1;
    return row;
  }

  /** Sets a row's values, by slot − 1, each of which is a sum of `count` readings. */
  setValues(row: number, values: readonly (Whole | null)[], count: Whole): void {
    for (let i = 0; i < this.readings.length; i += 1) {
      const value = values[i] ?? null;
      this.readings[i]?.put(row, value);
      this.counts[i]?.put(row, value === null ? 1 : count);
    }
  }

  copyValues(row: number, source: ReadingRows, from: number): void {
    for (let i = 0; i < this.readings.length; i += 1) {
      const reading = source.readings[i];
      const count = source.counts[i];
      if (reading) this.readings[i]?.copy(row, reading, from);
      if (count) this.counts[i]?.copy(row, count, from);
    }
  }

  /** Takes over the rows of another, which is not to be used any more. */
  replaceWith(rows: ReadingRows): void {
    this.rowCount = rows.rowCount;
    this.buckets = rows.buckets;
    this.keyIndexes = rows.keyIndexes;
    this.readings = rows.readings;
    this.counts = rows.counts;
    this.#capacity = rows.#capacity;
  }

  #grow(): void {
    const { buckets, keyIndexes } = this;
    this.#capacity = Math.max(FIRST_CAPACITY, 2 * this.#capacity);
    this.buckets = new Float64Array(this.#capacity);
    this.buckets.set(buckets);
    this.keyIndexes = new Uint32Array(this.#capacity);
    this.keyIndexes.set(keyIndexes);
    for (const column of [...this.readings, ...this.counts]) column?.growTo(this.#capacity);
  }
}
