import { pickRows } from '../../../segments/codes/column.ts';
import { hasKey, type KeySet } from '../../../segments/filter/key-set.ts';
import { joinColumns } from '../../../segments/readings/join-columns.ts';
import { boundedColumn } from '../aggregate/aggregate-blocks.ts';
import { SharedArrays } from '../aggregate/shared-arrays.ts';
import type { SegmentBlock } from './decode-blocks.ts';

/** Returns what a block has of the keys of a set; null: of all keys. */
export function takeVisible(block: SegmentBlock, visible: KeySet | null): SegmentBlock {
  if (visible === null) return block;
  const { ids, column } = block;
  const rows: number[] = [];
  for (let row = 0; row < ids.length; row += 1) {
    if (hasKey(visible, ids[row] as number)) rows.push(row);
  }
  if (rows.length === ids.length) return block;
  const arrays = new SharedArrays();
  const own = arrays.words(rows.length);
  for (let i = 0; i < rows.length; i += 1) own[i] = ids[rows[i] as number] as number;
  if (column === null) return { ids: own, column };
  const picked = joinColumns([pickRows(column, Uint32Array.from(rows))], [rows.length], arrays);
  return { ids: own, column: picked && boundedColumn(picked) };
}
