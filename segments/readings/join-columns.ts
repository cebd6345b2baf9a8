import { HIGH_UNIT, type Lanes, narrowLanes, wideLanes } from '../codes/lanes.ts';
import type { Column } from './column.ts';

/**
 * Columns one after the other as one; `lengths`: how many rows each has, also where it is null, "no
 * reading". Null if all are.
 */
export function joinColumns(
  parts: readonly (Column | null)[],
  lengths: readonly number[],
): Column | null {
  const some = parts.filter((part) => part !== null);
  if (some.length === 0) return null;
  if (parts.length === 1) return some[0] ?? null;
  const total = lengths.reduce((sum, length) => sum + length, 0);
  const isWide = some.some(({ values }) => values.high !== null);
  const values = emptyLanes(total, isWide, Number.NaN);
  const hasCounts = some.some(({ counts }) => counts !== null);
  const wideCounts = some.some(({ counts }) => counts !== null && counts.high !== null);
  const counts = hasCounts ? emptyLanes(total, wideCounts, 0) : null;
  let to = 0;
  for (const [i, part] of parts.entries()) {
    if (part) {
      copyLanes(part.values, values, to);
      if (counts) copyLanes(part.counts ?? onesOf(part.values), counts, to);
    }
    to += lengths[i] as number;
  }
  return { values, counts };
}

function emptyLanes(length: number, wide: boolean, missing: number): Lanes {
  const lanes = wide ? wideLanes(length) : narrowLanes(length);
  lanes.low.fill(missing);
  return lanes;
}

/** A count of 1 for each reading. */
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
    // NaN, no reading, has none either.
    into.high[to + row] = Number.isNaN(upper) ? 0 : upper;
  }
}
