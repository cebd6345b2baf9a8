import type { Exact } from '../../../domain/toppers/exact.ts';
import type { Fold } from '../../../domain/toppers/meter-type.ts';
import { approximate, type Lanes, laneValue, NARROW_BOUND } from '../../../segments/codes/lanes.ts';
import type { UnitColumn } from './unit-column.ts';

/** Combines some rows of a column by the meter's rule; null if none of them has a reading. */
export function foldRows(column: UnitColumn, rows: Iterable<number>, fold: Fold): Exact | null {
  const there: number[] = [];
  for (const row of rows) if (!Number.isNaN(column.values.low[row])) there.push(row);
  if (there.length === 0) return null;
  if (fold === 'max' || fold === 'min') {
    return { sum: extremeOf(column.values, there, fold), count: 1n };
  }
  const { values, counts, bound, countBound } = column;
  const sum = sumOf(values, there, bound);
  if (fold !== 'mean') return { sum, count: 1n };
  const count = counts === null ? BigInt(there.length) : sumOf(counts, there, countBound);
  return { sum, count };
}

/** bound: an upper bound of the sum of the magnitudes of all rows. */
function sumOf(lanes: Lanes, rows: readonly number[], bound: number): bigint {
  if (lanes.high === null && bound < NARROW_BOUND) {
    let sum = 0;
    for (const row of rows) sum += lanes.low[row] as number;
    return BigInt(sum);
  }
  let sum = 0n;
  for (const row of rows) sum += laneValue(lanes, row);
  return sum;
}

function extremeOf(lanes: Lanes, rows: readonly number[], fold: 'max' | 'min'): bigint {
  const sign = fold === 'max' ? 1 : -1;
  let best = rows[0] as number;
  for (const row of rows) if (sign * compareRows(lanes, row, best) > 0) best = row;
  return laneValue(lanes, best);
}

/** Compares doubles first. Close values may have the same double; they are compared exactly. */
function compareRows(lanes: Lanes, a: number, b: number): number {
  const difference = approximate(lanes, a) - approximate(lanes, b);
  if (difference !== 0 || lanes.high === null) return difference;
  return (
    (lanes.high[a] as number) - (lanes.high[b] as number) ||
    (lanes.low[a] as number) - (lanes.low[b] as number)
  );
}
