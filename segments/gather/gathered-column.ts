import { HIGH_UNIT, isWide, type Lanes, NARROW_BOUND, setWide } from '../codes/lanes.ts';

/**
 * Numbers by row, in arrays that grow. A second lane is added with the first number that needs it.
 */
export class GatheredColumn {
  readonly #missing: number;
  #low: Float64Array;
  #high: Float64Array | null = null;
  #isUsed = false;

  /** `missing` is the value of rows without a number. */
  constructor(capacity: number, missing: number) {
    this.#missing = missing;
    this.#low = new Float64Array(capacity).fill(missing);
  }

  /** Whether the column has any number. */
  get isUsed(): boolean {
    return this.#isUsed;
  }

  get sizeBytes(): number {
    return this.#low.byteLength * (this.#high === null ? 1 : 2);
  }

  put(row: number, value: number | bigint): void {
    this.#isUsed = true;
    const isSmall = typeof value === 'number' && Math.abs(value) < NARROW_BOUND;
    if (this.#high === null) {
      if (isSmall) {
        this.#low[row] = value;
        return;
      }
      this.#widen();
    }
    const lanes: Lanes = { low: this.#low, high: this.#high };
    if (isWide(lanes)) setWide(lanes, row, BigInt(value));
  }

  grow(capacity: number): void {
    const low = new Float64Array(capacity).fill(this.#missing, this.#low.length);
    low.set(this.#low);
    this.#low = low;
    if (this.#high === null) return;
    const high = new Float64Array(capacity);
    high.set(this.#high);
    this.#high = high;
  }

  /** Returns the given rows, in that order. */
  pick(rows: Uint32Array): Lanes {
    const low = picked(this.#low, rows);
    return { low, high: this.#high === null ? null : picked(this.#high, rows) };
  }

  #widen(): void {
    const low = this.#low;
    const high = new Float64Array(low.length);
    for (let row = 0; row < low.length; row += 1) {
      const value = low[row] as number;
      const upper = Math.floor(value / HIGH_UNIT);
      if (Number.isNaN(upper)) continue;
      high[row] = upper;
      low[row] = value - upper * HIGH_UNIT;
    }
    this.#high = high;
  }
}

function picked(numbers: Float64Array, rows: Uint32Array): Float64Array {
  const result = new Float64Array(rows.length);
  for (let i = 0; i < rows.length; i += 1) result[i] = numbers[rows[i] as number] as number;
  return result;
}
