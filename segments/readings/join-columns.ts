import type { Column } from '../codes/column.ts';
import { HIGH_UNIT, type Lanes, narrowLanes } from '../codes/lanes.ts';

/** Makes arrays of zeros: in shared memory for a column that threads are to see. */
type ArrayMaker = { readonly doubles: (length: number) => Float64Array };

const OWN_ARRAYS: ArrayMaker = { doubles: (length) => new Float64Array(length) };

/**
 * Concatenates columns in arrays from `arrays`. `lengths` has the number of rows of each, including
 * those that are null, which means "no reading". Returns null if all are null.
 */
export function joinColumns(
  parts: readonly (Column | null)[],
  lengths: readonly number[],
  arrays = OWN_ARRAYS,
): Column | null {
  const some = parts.filter((part) => part !== null);
  if (some.length === 0) return null;
  if (parts.length === 1 && arrays === OWN_ARRAYS) return some[0] ?? null;
  const total = lengths.reduce((sum, length) => sum + length, 0);
  const isWide = some.some(({ values }) => values.high !== null);
  const values = newLanes(arrays, total, isWide);
  const hasCounts = some.some(({ counts }) => counts !== null);
  const wideCounts = some.some(({ counts }) => counts !== null && counts.high !== null);
  // New memory is zero, which is the count where there is no reading.
  const counts = hasCounts ? newLanes(arrays, total, wideCounts) : null;
  let to = 0;
  for (const [i, part] of parts.entries()) {
    const end = to + (lengths[i] as number);
    if (part) {
      copyLanes(part.values, values, to);
      if (counts) copyLanes(part.counts ?? onesOf(part.values), counts, to);
    } else values.low.fill(Number.NaN, to, end);
    to = end;
  }
  return { values, counts };
}

const newLanes = (arrays: ArrayMaker, length: number, isWide: boolean): Lanes => ({
  low: arrays.doubles(length),
  high: isWide ? arrays.doubles(length) : null,
});

/** Returns a count of 1 for each reading. */
function onesOf({ low }: Lanes): Lanes {
  const ones = narrowLanes(low.length);
  for (let row = 0; row < low.length; row += 1) if (!Number.isNaN(low[row])) ones.low[row] = 1;
  return ones;
}

function copyLanes({ low, high }: Lanes, into: Lanes, to: number): void {
  if (into.high === null) {
    into.low.set(low, to);
    return;
  }
  if (high !== null) {
    into.low.set(low, to);
    into.high.set(high, to);
    return;
  }
  for (let row = 0; row < low.length; row += 1) {
    const value = low[row] as number;
    const upper = Math.floor(value / HIGH_UNIT);
    into.low[to + row] = value - upper * HIGH_UNIT;
    // NaN (no reading) has no upper half either.
    into.high[to + row] = Number.isNaN(upper) ? 0 : upper;
  }
}
