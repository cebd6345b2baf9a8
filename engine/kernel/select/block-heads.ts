import type { Exact } from '../../../domain/toppers/exact.ts';
import { kthLargest } from '../../../domain/toppers/kth-largest.ts';
import type { Lanes } from '../../../segments/codes/lanes.ts';
import type { KeySet } from '../../../segments/filter/key-set.ts';
import type { Aggregated } from '../aggregate/aggregate-blocks.ts';
import { compareRows, type KeyRows, totalOf } from './key-rows.ts';

/** The largest rows of a single block in the order of decision 24, and the total of all rows. */
export type BlockHead = {
  /** Every row that is left out is smaller than each of these. */
  readonly rows: Uint32Array;
  /** Total number of counted rows. */
  readonly count: number;
  readonly total: Exact | null;
};

/** Number of rows kept in order: 4 KB, next to some hundred KB of a block that is worth it. */
const HEAD_ROWS = 1000;

/** A head with more rows, because many equal the last one, is not worth it. */
const MAX_ROWS = 4 * HEAD_ROWS;

/** A smaller block is scanned as fast, with a filter. */
const FILTERED_ROWS = 16_384;

/** Maximum number of filters with heads of one block: a sixth of the smallest block's size. */
const FILTERS = 8;

/** The heads of one block, by the keys that count: a filter's, or all. null: there is no head. */
type BlockHeads = {
  readonly by: WeakMap<KeySet | typeof EVERY_KEY, BlockHead | null | 'asked once'>;
  ofFilters: number;
};

const EVERY_KEY = {};

/** By the block's values, so that a head is collected with its block, or its filter. */
const heads = new WeakMap<Lanes, BlockHeads>();

/**
 * Returns the head of a block from the second time on that it is requested for the same keys
 * (`passing`; null: all); null: all `rows` have to be scanned. A block never changes, nor does the
 * set of keys that pass a cached filter, so the head does not change either.
 */
export function headOf(
  aggregated: Aggregated,
  passing: KeySet | null,
  rows: () => KeyRows,
): BlockHead | null {
  const { values, ordinals, touched } = aggregated;
  // Only a block that is not a sum of blocks is the same object next time.
  if (ordinals === null || touched !== null) return null;
  if (passing !== null && ordinals.length < FILTERED_ROWS) return null;
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
  const head = makeHead(aggregated, rows());
  ofBlock.by.set(keys, head);
  if (passing !== null) ofBlock.ofFilters += 1;
  return head;
}

function makeHead(aggregated: Aggregated, counted: KeyRows): BlockHead | null {
  const { approx, length: count } = counted;
  const cut = kthLargest(approx, count, HEAD_ROWS);
  const near: { row: number; approx: number }[] = [];
  for (let i = 0; i < count; i += 1) {
    const value = approx[i] as number;
    if (value < cut) continue;
    if (near.length === MAX_ROWS) return null;
    near.push({ row: counted.rows[i] as number, approx: value });
  }
  near.sort((a, b) => compareRows(aggregated, a, b));
  const rows = Uint32Array.from(near, ({ row }) => row);
  return { rows, count, total: totalOf(aggregated, counted) };
}

/** Returns the `limit` largest rows; null: the head is too short. */
export const largestOfHead = ({ rows, count }: BlockHead, limit: number): Uint32Array | null =>
  limit > rows.length && rows.length < count ? null : rows.subarray(0, limit);
