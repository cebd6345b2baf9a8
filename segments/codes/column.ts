import { isWide, type Lanes, narrowLanes, wideLanes } from './lanes.ts';

/**
 * A meter's readings by row. NaN in `low` means no reading. For means, `values` are sums and
 * `counts` the number of readings in each sum (0 if there is none). If `counts` is null, each value
 * is one reading.
 */
export type Column = { readonly values: Lanes; readonly counts: Lanes | null };

export const hasReading = ({ values }: Column, row: number): boolean =>
  !Number.isNaN(values.low[row]);

/** Returns the rows from `from` to before `to`, sharing memory. */
export const columnPart = ({ values, counts }: Column, from: number, to: number): Column => ({
  values: lanesPart(values, from, to),
  counts: counts && lanesPart(counts, from, to),
});

const lanesPart = ({ low, high }: Lanes, from: number, to: number): Lanes => ({
  low: low.subarray(from, to),
  high: high?.subarray(from, to) ?? null,
});

/** Returns the given rows, in that order. */
export const pickRows = ({ values, counts }: Column, rows: Uint32Array): Column => ({
  values: pickLanes(values, rows),
  counts: counts && pickLanes(counts, rows),
});

function pickLanes(lanes: Lanes, rows: Uint32Array): Lanes {
  const picked: Lanes = isWide(lanes) ? wideLanes(rows.length) : narrowLanes(rows.length);
  for (let row = 0; row < rows.length; row += 1) {
    picked.low[row] = lanes.low[rows[row] as number] as number;
  }
  if (picked.high === null || lanes.high === null) return picked;
  for (let row = 0; row < rows.length; row += 1) {
    picked.high[row] = lanes.high[rows[row] as number] as number;
  }
  return picked;
}
