import type { Exact } from '../domain/exact.ts';
import type { Folded } from './fold-units.ts';
import { compareRows, type KeyRows, totalOf } from './key-rows.ts';
import { kthLargest } from './kth-largest.ts';
import type { Lanes } from './lanes.ts';

/** Of a block that is asked as it is: its largest rows, largest first, and what all come to. */
export type BlockHead = {
  /** None that is left out is as large as one of these. */
  readonly rows: Uint32Array;
  /** How many rows are counted in all. */
  readonly count: number;
  readonly total: Exact | null;
};

/** As many rows are put in order: 4 KB beside some hundred of a block that is worth it. */
const HEAD_ROWS = 1000;

/** Where more than so many are as large as the last of them, it is not worth it. */
const MAX_ROWS = 4 * HEAD_ROWS;

/** By the block's values, so that a head goes when its block does. null: there is none. */
const heads = new WeakMap<Lanes, BlockHead | null | 'asked once'>();

/**
 * The head of a block from the second time on that it is asked; null: all rows have to be looked
 * at, `countedRows`. What is in a block never changes, so neither does its head.
 */
export function headOf(folded: Folded, countedRows: () => KeyRows): BlockHead | null {
  const { values, listed, touched } = folded;
  // Only a block that was not added up is the same the next time.
  if (listed === null || touched !== null) return null;
  const known = heads.get(values);
  if (known === undefined) {
    heads.set(values, 'asked once');
    return null;
  }
  if (known !== 'asked once') return known;
  const head = makeHead(folded, countedRows());
  heads.set(values, head);
  return head;
}

function makeHead(folded: Folded, counted: KeyRows): BlockHead | null {
  const { approx, length: count } = counted;
  const cut = kthLargest(approx, count, HEAD_ROWS);
  const near: { row: number; approx: number }[] = [];
  for (let i = 0; i < count; i += 1) {
    const value = approx[i] as number;
    if (value < cut) continue;
    if (near.length === MAX_ROWS) return null;
    near.push({ row: counted.rows[i] as number, approx: value });
  }
  near.sort((a, b) => compareRows(folded, a, b));
  const rows = Uint32Array.from(near, ({ row }) => row);
  return { rows, count, total: totalOf(folded, counted) };
}

/**
 * The `wanted` largest and all that are as large as the last of them; null: the head is too short
 * to tell.
 */
export function largestOfHead(
  { values: { low } }: Folded,
  { rows, count }: BlockHead,
  wanted: number,
): Uint32Array | null {
  if (wanted > rows.length) return rows.length === count ? rows : null;
  const last = low[rows[wanted - 1] as number];
  let end = wanted;
  while (end < rows.length && low[rows[end] as number] === last) end += 1;
  return rows.subarray(0, end);
}
