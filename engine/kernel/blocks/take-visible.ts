import type { Sliced } from '../../../domain/sliced.ts';
import { pickRows } from '../../../segments/codes/column.ts';
import { hasKey, type KeySet } from '../../../segments/filter/key-set.ts';
import { joinColumns } from '../../../segments/readings/join-columns.ts';
import { boundedColumn } from '../aggregate/aggregate-blocks.ts';
import { SharedArrays } from '../aggregate/shared-arrays.ts';
import type { SegmentBlock } from './decode-blocks.ts';

/** A block, and the keys of it that may be seen. */
export type BlockToSee = { readonly block: SegmentBlock; readonly visible: KeySet };

/** Returns what a block has of the keys that may be seen. */
export function* takeVisible({ block, visible }: BlockToSee): Sliced<SegmentBlock> {
  const { ids, column } = block;
  const rows = new Uint32Array(ids.length);
  let count = 0;
  for (let row = 0; row < ids.length; row += 1) {
    rows[count] = row;
    count += hasKey(visible, ids[row] as number) ? 1 : 0;
  }
  if (count === ids.length) return block;
  yield;
  const taken = rows.subarray(0, count);
  const arrays = new SharedArrays();
  const own = arrays.words(count);
  for (let i = 0; i < count; i += 1) own[i] = ids[taken[i] as number] as number;
  if (column === null) return { ids: own, column };
  const picked = joinColumns([pickRows(column, taken)], [count], arrays);
  return { ids: own, column: picked && boundedColumn(picked) };
}
