import type { Lanes } from '../../segments/codes/lanes.ts';

/** Arrays that were given back, all zero; a thread does one task at a time, so few are enough. */
const spare: Float64Array[] = [];
const KEPT = 4;

/**
 * Lanes of zeros. A sum over all keys of a large group needs megabytes: given back they need not be
 * made, cleared and collected again for every question.
 */
export function takeLanes(length: number, wide: boolean): Lanes {
  const low = takeDoubles(length);
  return { low, high: wide ? takeDoubles(length) : null };
}

function takeDoubles(length: number): Float64Array {
  const place = spare.findIndex((each) => each.length >= length);
  const [found] = place === -1 ? [] : spare.splice(place, 1);
  return found ? found.subarray(0, length) : new Float64Array(length);
}

/**
 * Gives lanes back, which nobody may use any more. rows: those that may be other than zero; null:
 * any may be.
 */
export function giveBackLanes(lanes: Lanes, rows: Uint32Array | null): void {
  for (const each of [lanes.low, lanes.high]) if (each) giveBack(each, rows);
}

function giveBack(doubles: Float64Array, rows: Uint32Array | null): void {
  if (rows === null) doubles.fill(0);
  else for (let i = 0; i < rows.length; i += 1) doubles[rows[i] as number] = 0;
  spare.push(new Float64Array(doubles.buffer));
  if (spare.length <= KEPT) return;
  // The largest ones serve for all.
  spare.sort((a, b) => b.length - a.length).pop();
}

/** Arrays for rows and a value of each; what is in them is anything. */
export type RowArrays = { readonly rows: Uint32Array; readonly approx: Float64Array };

const spareRows: RowArrays[] = [];
const KEPT_ROWS = 2;

/** Arrays of at least this length. */
export function takeRowArrays(length: number): RowArrays {
  const place = spareRows.findIndex(({ rows }) => rows.length >= length);
  const [found] = place === -1 ? [] : spareRows.splice(place, 1);
  return found ?? { rows: new Uint32Array(length), approx: new Float64Array(length) };
}

/** Gives arrays back, which nobody may use any more. */
export function giveBackRowArrays(arrays: RowArrays): void {
  spareRows.push(arrays);
  if (spareRows.length <= KEPT_ROWS) return;
  spareRows.sort((a, b) => b.rows.length - a.rows.length).pop();
}
