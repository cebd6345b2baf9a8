import type { Lanes } from '../../../segments/codes/lanes.ts';

/** Returned arrays, all zero. A thread runs one task at a time, so a few are enough. */
const spare: Float64Array[] = [];
const KEPT = 4;

/**
 * Returns lanes of zeros. A sum over all keys of a large group needs megabytes. Reusing them avoids
 * allocating, clearing and collecting them for every question.
 */
export function takeLanes(length: number, wide: boolean): Lanes {
  const low = takeDoubles(length);
  return { low, high: wide ? takeDoubles(length) : null };
}

function takeDoubles(length: number): Float64Array {
  const index = spare.findIndex((each) => each.length >= length);
  const [found] = index === -1 ? [] : spare.splice(index, 1);
  return found ? found.subarray(0, length) : new Float64Array(length);
}

/**
 * Makes lanes available for reuse; the caller must not use them any more. rows: the rows that may
 * be non-zero; null: all rows.
 */
export function giveBackLanes(lanes: Lanes, rows: Uint32Array | null): void {
  for (const each of [lanes.low, lanes.high]) if (each) giveBack(each, rows);
}

function giveBack(doubles: Float64Array, rows: Uint32Array | null): void {
  if (rows === null) doubles.fill(0);
  else for (let i = 0; i < rows.length; i += 1) doubles[rows[i] as number] = 0;
  spare.push(new Float64Array(doubles.buffer));
  if (spare.length <= KEPT) return;
  // The largest arrays are kept: they fit every request.
  spare.sort((a, b) => b.length - a.length).pop();
}

/** Arrays for rows and their values, with undefined content. */
type RowArrays = { readonly rows: Uint32Array; readonly approx: Float64Array };

const spareRows: RowArrays[] = [];
const KEPT_ROWS = 2;

/** Returns arrays of at least this length. */
export function takeRowArrays(length: number): RowArrays {
  const index = spareRows.findIndex(({ rows }) => rows.length >= length);
  const [found] = index === -1 ? [] : spareRows.splice(index, 1);
  return found ?? { rows: new Uint32Array(length), approx: new Float64Array(length) };
}

/** Makes arrays available for reuse; the caller must not use them any more. */
export function giveBackRowArrays(arrays: RowArrays): void {
  spareRows.push(arrays);
  if (spareRows.length <= KEPT_ROWS) return;
  spareRows.sort((a, b) => b.rows.length - a.rows.length).pop();
}
