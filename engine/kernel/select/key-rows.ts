import { firstNotBelow } from '../../../domain/first-not-below.ts';
import { compareExact, type Exact } from '../../../domain/toppers/exact.ts';
import { isCounting } from '../../../domain/toppers/meter-type.ts';
import { approximate, isWide, type Lanes, laneValue } from '../../../segments/codes/lanes.ts';
import { hasKey, type KeySet } from '../../../segments/filter/key-set.ts';
import type { Aggregated } from '../aggregate/aggregate-blocks.ts';
import { giveBackRowArrays, takeRowArrays } from '../aggregate/scratch.ts';

/**
 * `length` rows of aggregated blocks (the arrays may be longer), each with its value as a double:
 * exact if possible, else close enough (`SLACK`) that only neighbours have to be compared exactly.
 */
export type KeyRows = {
  readonly length: number;
  readonly rows: Uint32Array;
  readonly approx: Float64Array;
};

/** Doubles distinguish values that differ by more than this fraction. */
export const SLACK = 2 ** -48;

export const isExactly = ({ aggregate, values }: Aggregated): boolean =>
  aggregate !== 'mean' && !isWide(values);

/** Returns a bound below which a value is certainly smaller than one whose double is `approx`. */
export const cutoff = (aggregated: Aggregated, approx: number): number =>
  isExactly(aggregated) ? approx : approx - Math.abs(approx) * SLACK;

/** Makes the memory of rows that are no longer used available again. */
export const releaseRows = ({ rows, approx }: KeyRows): void => giveBackRowArrays({ rows, approx });

/** Decision 24: returns the keys with a reading; for a counter, those with a non-zero reading. */
export function countedRows(aggregated: Aggregated): KeyRows {
  const { values, counts, aggregate, touched } = aggregated;
  const size = touched?.length ?? values.low.length;
  const { rows, approx } = takeRowArrays(size);
  const nothing = nothingOf(aggregate);
  if (!counts && values.high === null) {
    const take = { low: values.low, nothing, rows, approx };
    const length = touched === null ? takeRows(take, aggregate) : takeTouched(take, touched);
    return { length, rows, approx };
  }
  let length = 0;
  for (let i = 0; i < size; i += 1) {
    const row = touched === null ? i : (touched[i] as number);
    const value = counts ? meanOf(values, counts, row) : approximate(values, row);
    if (counts ? Number.isNaN(value) : value === nothing) continue;
    rows[length] = row;
    approx[length] = value;
    length += 1;
  }
  return { length, rows, approx };
}

const nothingOf = (aggregate: Aggregated['aggregate']): number =>
  isCounting(aggregate)
    ? 0
    : aggregate === 'max'
      ? Number.NEGATIVE_INFINITY
      : Number.POSITIVE_INFINITY;

type Take = {
  readonly low: Float64Array;
  readonly nothing: number;
  readonly rows: Uint32Array;
  readonly approx: Float64Array;
};

/** The common case, loops over plain arrays: rows and values of all that differ from `nothing`. */
function takeRows(take: Take, aggregate: Aggregated['aggregate']): number {
  return isCounting(aggregate) ? takeCounters(take) : takeOthers(take);
}

// Each row is written unconditionally and counted only if it is valid: a branch is hard to predict.

function takeCounters({ low, rows, approx }: Take): number {
  let length = 0;
  for (let row = 0; row < low.length; row += 1) {
    const value = low[row] as number;
    rows[length] = row;
    approx[length] = value;
    // Neither 0 nor NaN.
    length += Math.abs(value) > 0 ? 1 : 0;
  }
  return length;
}

function takeOthers({ low, nothing, rows, approx }: Take): number {
  let length = 0;
  for (let row = 0; row < low.length; row += 1) {
    const value = low[row] as number;
    rows[length] = row;
    approx[length] = value;
    length += value === nothing ? 0 : 1;
  }
  return length;
}

/** The same if the rows with readings are known. */
function takeTouched({ low, nothing, rows, approx }: Take, touched: Uint32Array): number {
  let length = 0;
  for (let i = 0; i < touched.length; i += 1) {
    const row = touched[i] as number;
    const value = low[row] as number;
    rows[length] = row;
    approx[length] = value;
    length += value === nothing ? 0 : 1;
  }
  return length;
}

/** Returns a row's value as a double: exact if possible, else off by less than SLACK of it. */
export const approxOf = ({ values, counts }: Aggregated, row: number): number =>
  counts ? meanOf(values, counts, row) : approximate(values, row);

/** NaN for a key without a reading: 0 ÷ 0. */
const meanOf = (values: Lanes, counts: Lanes, row: number): number =>
  approximate(values, row) / approximate(counts, row);

/** Returns those of the keys that have been counted. */
export function rowsOf(aggregated: Aggregated, keys: readonly number[]): KeyRows {
  const rows = new Uint32Array(keys.length);
  const approx = new Float64Array(keys.length);
  let length = 0;
  for (const key of keys) {
    const row = rowOf(aggregated, key);
    if (row === null) continue;
    rows[length] = row;
    approx[length] = approxOf(aggregated, row);
    length += 1;
  }
  return { length, rows, approx };
}

/** Returns those of `from` that are in the set. */
export function passingRows(aggregated: Aggregated, from: KeyRows, passing: KeySet): KeyRows {
  const { ordinals } = aggregated;
  const { rows, approx } = takeRowArrays(from.length);
  let length = 0;
  for (let i = 0; i < from.length; i += 1) {
    const row = from.rows[i] as number;
    if (!hasKey(passing, ordinals === null ? row : (ordinals[row] as number))) continue;
    rows[length] = row;
    approx[length] = from.approx[i] as number;
    length += 1;
  }
  return { length, rows, approx };
}

export const ordinalOf = ({ ordinals }: Aggregated, row: number): number => ordinals?.[row] ?? row;

/** null: the key has not been counted. */
export function rowOf(aggregated: Aggregated, ordinal: number): number | null {
  const row = possibleRow(aggregated, ordinal);
  return row === null || !isCounted(aggregated, row) ? null : row;
}

/** Decision 24: whether the key of a row has a reading that counts. */
export function isCounted({ values, counts, aggregate }: Aggregated, row: number): boolean {
  if (counts) return approximate(counts, row) > 0;
  const value = approximate(values, row);
  return value !== nothingOf(aggregate) && !Number.isNaN(value);
}

/** Returns the row of the key, if there is one. */
function possibleRow({ ordinals, values }: Aggregated, ordinal: number): number | null {
  if (ordinals === null) return ordinal < values.low.length ? ordinal : null;
  const row = firstNotBelow(ordinals, ordinal);
  return ordinals[row] === ordinal ? row : null;
}

export const exactValue = ({ values, counts }: Aggregated, row: number): Exact => ({
  sum: laneValue(values, row),
  count: counts ? laneValue(counts, row) : 1n,
});

/** A row and its value as a double. */
export type ApproxRow = { readonly row: number; readonly approx: number };

/**
 * Decision 24: compares by value, larger first; of equal ones the smaller key is first, which is in
 * the smaller row. Values are compared exactly only if the doubles do not decide.
 */
export function compareRows(aggregated: Aggregated, a: ApproxRow, b: ApproxRow): number {
  const difference = b.approx - a.approx;
  if (isExactly(aggregated) || Math.abs(difference) > Math.abs(a.approx) * SLACK * 2)
    return difference || a.row - b.row;
  const exactly = compareExact(exactValue(aggregated, b.row), exactValue(aggregated, a.row));
  return exactly || a.row - b.row;
}

/** Combines all rows into one by the meter's rule; null without rows. */
export function totalOf(
  aggregated: Aggregated,
  { rows, length }: Pick<KeyRows, 'rows' | 'length'>,
): Exact | null {
  if (length === 0) return null;
  const { values, counts, aggregate } = aggregated;
  if (aggregate === 'max' || aggregate === 'min') return extremeOf(aggregated, rows, length);
  return { sum: sumOf(values, rows, length), count: counts ? sumOf(counts, rows, length) : 1n };
}

function sumOf({ low, high }: Lanes, rows: Uint32Array, length: number): bigint {
  if (high === null) return BigInt(sumOfRows(low, rows, length));
  let all = 0n;
  let lowSum = 0;
  let highSum = 0;
  for (let i = 0; i < length; i += 1) {
    const row = rows[i] as number;
    lowSum += low[row] as number;
    highSum += high[row] as number;
    // Carried over before they exceed 2^53.
    if ((i & 0xfffff) === 0xfffff) {
      all += (BigInt(highSum) << 32n) + BigInt(lowSum);
      lowSum = 0;
      highSum = 0;
    }
  }
  return all + (BigInt(highSum) << 32n) + BigInt(lowSum);
}

/** All rows of narrow lanes together add up to less than 2^53. */
function sumOfRows(low: Float64Array, rows: Uint32Array, length: number): number {
  let sum = 0;
  for (let i = 0; i < length; i += 1) sum += low[rows[i] as number] as number;
  return sum;
}

function extremeOf(aggregated: Aggregated, rows: Uint32Array, length: number): Exact {
  const { values, aggregate } = aggregated;
  const sign = aggregate === 'max' ? 1 : -1;
  let best = rows[0] as number;
  for (let i = 1; i < length; i += 1) {
    const row = rows[i] as number;
    const difference = isWide(values)
      ? (values.high[row] as number) - (values.high[best] as number) ||
        (values.low[row] as number) - (values.low[best] as number)
      : (values.low[row] as number) - (values.low[best] as number);
    if (difference * sign > 0) best = row;
  }
  return exactValue(aggregated, best);
}
