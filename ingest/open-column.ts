import type { Fold } from '../domain/meter-type.ts';
import { readingAt } from '../packing/reading-at.ts';
import type { ReadingColumn } from '../packing/sorted-readings.ts';
import { addWhole, isReading, type Whole } from './whole.ts';

/** A column of readings that is being filled, in an array that grows. */
export class OpenColumn implements ReadingColumn {
  numbers: Float64Array;
  /** May hold what was there before: it is looked into only where `numbers` is infinite. */
  readonly large = new Map<number, bigint>();

  constructor(capacity: number) {
    this.numbers = new Float64Array(capacity);
  }

  growTo(capacity: number): void {
    const { numbers } = this;
    this.numbers = new Float64Array(capacity);
    this.numbers.set(numbers);
  }

  has(row: number): boolean {
    return !Number.isNaN(this.numberAt(row));
  }

  put(row: number, value: Whole | null): void {
    if (typeof value === 'bigint') {
      this.numbers[row] = value > 0 ? Number.POSITIVE_INFINITY : Number.NEGATIVE_INFINITY;
      this.large.set(row, value);
    } else {
      this.numbers[row] = value ?? Number.NaN;
    }
  }

  /** Copies the value of another column's row. */
  copy(row: number, source: OpenColumn, from: number): void {
    const number = source.numberAt(from);
    this.numbers[row] = number;
    const large = Number.isFinite(number) ? undefined : source.large.get(from);
    if (large !== undefined) this.large.set(row, large);
  }

  /** Whether a reading can hold the sum with the value of another column's row; both have one. */
  canAdd(row: number, source: OpenColumn, from: number): boolean {
    return (
      Number.isSafeInteger(this.numberAt(row) + source.numberAt(from)) ||
      isReading(folded('sum', readingAt(this, row), readingAt(source, from)))
    );
  }

  add(row: number, source: OpenColumn, from: number): void {
    const sum = this.numberAt(row) + source.numberAt(from);
    // A rounded sum is at least 2^53 and therefore never "safe".
    if (Number.isSafeInteger(sum)) this.numbers[row] = sum;
    else this.put(row, folded('sum', readingAt(this, row), readingAt(source, from)));
  }

  keepExtreme(fold: 'max' | 'min', row: number, value: Whole | null): void {
    this.put(row, folded(fold, readingAt(this, row), value));
  }

  numberAt(row: number): number {
    return this.numbers[row] ?? Number.NaN;
  }
}

function folded(fold: Fold, a: Whole | null, b: Whole | null): Whole {
  if (a === null || b === null) return a ?? b ?? 0;
  if (fold === 'max') return b > a ? b : a;
  if (fold === 'min') return b < a ? b : a;
  return addWhole(a, b);
}
