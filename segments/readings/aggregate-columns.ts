import type { Aggregate } from '../../domain/toppers/meter-type.ts';
import type { Column } from '../codes/column.ts';
import {
  carry,
  HIGH_UNIT,
  type Lanes,
  NARROW_BOUND,
  narrowLanes,
  type WideLanes,
  wideLanes,
} from '../codes/lanes.ts';

/** A column and, for each of its rows, the target row in the result. */
type ColumnSource = { readonly column: Column; readonly targets: Uint32Array };

/**
 * Combines readings by their meter's rule (decision 23) into `length` rows, exactly: sums use
 * doubles where they stay below 2^53, otherwise two lanes. A row that gets no reading has none.
 */
export function aggregateColumns(
  sources: readonly ColumnSource[],
  aggregate: Aggregate,
  length: number,
): Column {
  const isExtreme = aggregate === 'max' || aggregate === 'min';
  const values = sources.map(({ column, targets }) => ({ lanes: column.values, targets }));
  if (isExtreme) return { values: extremesOf(values, aggregate, length), counts: null };
  return {
    values: addUp(values, length),
    counts: aggregate === 'mean' ? addUpCounts(sources, length) : null,
  };
}

type LaneSource = { readonly lanes: Lanes; readonly targets: Uint32Array };

function addUp(sources: readonly LaneSource[], length: number): Lanes {
  return addNarrow(sources, length) ?? addWide(sources, length);
}

/** Adds up counts. Null if no row of the result has more than one reading. */
function addUpCounts(sources: readonly ColumnSource[], length: number): Lanes | null {
  const counted = sources.map(({ column, targets }) => ({
    lanes: column.counts ?? onesWhereThere(column.values),
    targets,
  }));
  const counts = addUp(counted, length);
  for (let row = 0; row < length; row += 1) if (Number.isNaN(counts.low[row])) counts.low[row] = 0;
  return counts.high === null && counts.low.every((count) => count <= 1) ? null : counts;
}

function onesWhereThere({ low }: Lanes): Lanes {
  const ones = new Float64Array(low.length);
  for (let row = 0; row < low.length; row += 1) {
    ones[row] = Number.isNaN(low[row]) ? Number.NaN : 1;
  }
  return { low: ones, high: null };
}

/** Returns null if a sum may reach 2^53. */
function addNarrow(sources: readonly LaneSource[], length: number): Lanes | null {
  if (sources.some(({ lanes }) => lanes.high !== null)) return null;
  const sums = narrowLanes(length);
  const { low } = sums;
  low.fill(Number.NaN);
  let bound = 0;
  for (const { lanes, targets } of sources) {
    const from = lanes.low;
    for (let row = 0; row < targets.length; row += 1) {
      const value = from[row] as number;
      if (Number.isNaN(value)) continue;
      bound += Math.abs(value);
      const target = targets[row] as number;
      const so = low[target] as number;
      low[target] = Number.isNaN(so) ? value : so + value;
    }
  }
  return bound < NARROW_BOUND ? sums : null;
}

function addWide(sources: readonly LaneSource[], length: number): WideLanes {
  const sums = wideLanes(length);
  const { low, high } = sums;
  low.fill(Number.NaN);
  for (const { lanes, targets } of sources) {
    for (let row = 0; row < targets.length; row += 1) {
      const value = lanes.low[row] as number;
      if (Number.isNaN(value)) continue;
      const target = targets[row] as number;
      // Split the number so that `low` can take 2^21 of them before it is no longer exact.
      const upper = Math.floor(value / HIGH_UNIT);
      const so = low[target] as number;
      low[target] = (Number.isNaN(so) ? 0 : so) + (value - upper * HIGH_UNIT);
      high[target] = (high[target] as number) + upper + (lanes.high?.[row] ?? 0);
    }
  }
  carry(sums);
  return sums;
}

function extremesOf(
  sources: readonly LaneSource[],
  aggregate: 'max' | 'min',
  length: number,
): Lanes {
  const sign = aggregate === 'max' ? 1 : -1;
  const isAnyWide = sources.some(({ lanes }) => lanes.high !== null);
  const result: Lanes = isAnyWide ? wideLanes(length) : narrowLanes(length);
  result.low.fill(Number.NaN);
  for (const { lanes, targets } of sources) {
    for (let row = 0; row < targets.length; row += 1) {
      const low = lanes.low[row] as number;
      if (Number.isNaN(low)) continue;
      keepExtreme(result, targets[row] as number, { low, high: lanes.high?.[row] ?? null, sign });
    }
  }
  return result;
}

/** A reading to compare. `sign` 1 keeps the larger reading, −1 the smaller. */
type Candidate = { readonly low: number; readonly high: number | null; readonly sign: number };

function keepExtreme(into: Lanes, target: number, { low, high, sign }: Candidate): void {
  const so = into.low[target] as number;
  if (into.high === null) {
    if (Number.isNaN(so) || sign * (low - so) > 0) into.low[target] = low;
    return;
  }
  const upper = high ?? Math.floor(low / HIGH_UNIT);
  const rest = high === null ? low - upper * HIGH_UNIT : low;
  const difference = upper - (into.high[target] as number) || rest - so;
  if (!Number.isNaN(so) && sign * difference <= 0) return;
  into.low[target] = rest;
  into.high[target] = upper;
}
