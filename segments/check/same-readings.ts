import type { Column } from '../codes/column.ts';
import { HIGH_UNIT, type Lanes } from '../codes/lanes.ts';
import type { Readings } from '../readings/readings.ts';

/** Whether two sets of readings have the same keys, buckets and numbers. */
export function areSameReadings(a: Readings, b: Readings): boolean {
  return (
    areEqual(a.ends, b.ends) &&
    areEqual(a.starts, b.starts) &&
    a.columns.every((column, meterIndex) =>
      isSameColumn(column, b.columns[meterIndex] ?? null, a.starts.length),
    )
  );
}

function areEqual(a: Float64Array | Uint32Array, b: Float64Array | Uint32Array): boolean {
  if (a.length !== b.length) return false;
  for (let i = 0; i < a.length; i += 1) if (a[i] !== b[i]) return false;
  return true;
}

export function isSameColumn(a: Column | null, b: Column | null, length: number): boolean {
  const isSame = compareColumns(a, b);
  for (let row = 0; row < length; row += 1) if (!isSame(row, row)) return false;
  return true;
}

/**
 * Returns a function that checks whether a row of `a` and a row of `b` have the same reading, or
 * none.
 */
function compareColumns(
  a: Column | null,
  b: Column | null,
): (row: number, other: number) => boolean {
  const isThere = (column: Column | null, row: number) =>
    column !== null && !Number.isNaN(column.values.low[row]);
  const values = compareLanes(a?.values ?? null, b?.values ?? null);
  const counts = compareLanes(a?.counts ?? null, b?.counts ?? null);
  return (row, other) => {
    const isFirst = isThere(a, row);
    if (isFirst !== isThere(b, other)) return false;
    return !isFirst || (values(row, other) && counts(row, other));
  };
}

/**
 * Compares the numbers of two lanes. Missing lanes stand for the number 1, which is the default
 * count.
 */
function compareLanes(a: Lanes | null, b: Lanes | null): (row: number, other: number) => boolean {
  if ((a?.high ?? null) === null && (b?.high ?? null) === null) {
    return (row, other) => (a === null ? 1 : a.low[row]) === (b === null ? 1 : b.low[other]);
  }
  return (row, other) => {
    const [upper, rest] = halves(a, row);
    const [otherUpper, otherRest] = halves(b, other);
    return upper === otherUpper && rest === otherRest;
  };
}

function halves(lanes: Lanes | null, row: number): [number, number] {
  if (lanes === null) return [0, 1];
  const value = lanes.low[row] as number;
  const upper = Math.floor(value / HIGH_UNIT);
  return [(lanes.high?.[row] ?? 0) + upper, value - upper * HIGH_UNIT];
}
