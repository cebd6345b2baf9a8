import type { Exact } from '../../domain/toppers/exact.ts';
import type { Lanes } from '../../segments/codes/lanes.ts';
import type { KeySet } from '../../segments/filter/key-set.ts';
import type { Folded } from '../fold/fold-units.ts';
import { compareRows, type KeyRows, totalOf } from './key-rows.ts';
import { kthLargest } from './kth-largest.ts';

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

/** A smaller block is looked at as fast, with a filter. */
const FILTERED_ROWS = 16_384;

/** So many filters have heads of one block: a sixth of what the smallest of them takes itself. */
const FILTERS = 8;

/** Of one block, by which keys count: a filter's, or all. null: there is none. */
type BlockHeads = {
  readonly by: WeakMap<KeySet | typeof EVERY_KEY, BlockHead | null | 'asked once'>;
  ofFilters: number;
};

const EVERY_KEY = {};

/** By the block's values, so that a head goes when its block does, or its filter. */
const heads = new WeakMap<Lanes, BlockHeads>();

/**
 * The head of a block from the second time on that it is asked for the same keys (`passing`; null:
 * all); null: all rows have to be looked at, `rows`. What is in a block never changes, nor what
 * passes a filter that is remembered, so neither does the head.
 */
export function headOf(
  folded: Folded,
  passing: KeySet | null,
  rows: () => KeyRows,
): BlockHead | null {
  const { values, listed, touched } = folded;
  // Only a block that was not added up is the same the next time.
  if (listed === null || touched !== null) return null;
  if (passing !== null && listed.length < FILTERED_ROWS) return null;
  const ofBlock: BlockHeads = heads.get(values) ?? { by: new WeakMap(), ofFilters: 0 };
  heads.set(values, ofBlock);
  const keys = passing ?? EVERY_KEY;
  const known = ofBlock.by.get(keys);
  if (known === undefined) {
    ofBlock.by.set(keys, 'asked once');
    return null;
  }
  if (known !== 'asked once') return known;
  if (passing !== null && ofBlock.ofFilters === FILTERS) return null;
  const head = makeHead(folded, rows());
  ofBlock.by.set(keys, head);
  if (passing !== null) ofBlock.ofFilters += 1;
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
