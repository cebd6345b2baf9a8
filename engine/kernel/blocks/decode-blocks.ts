import type { Sliced } from '../../../domain/sliced.ts';
import type { Column } from '../../../segments/codes/column.ts';
import { joinColumns } from '../../../segments/readings/join-columns.ts';
import { readTileKeys, readTileTotals } from '../../../segments/tiles/tile.ts';
import { type BlockColumn, boundedColumn } from '../aggregate/aggregate-blocks.ts';
import { SharedArrays } from '../aggregate/shared-arrays.ts';

/** A block of one meter as stored, for one range of a segment's keys. */
export type StoredBlock = {
  /** The ordinal of the range's first key in the segment, and the number of keys in the range. */
  readonly firstOrdinal: number;
  readonly keyCount: number;
  /** The keys of the block; null: all keys of the range. */
  readonly keys: Uint8Array | null;
  /** The combined readings of each key; null: no reading, or only the keys are requested. */
  readonly totals: Uint8Array | null;
};

/** A block of a segment, in memory that threads share. */
export type SegmentBlock = {
  /** Ordinals in the segment, ascending. */
  readonly ids: Uint32Array;
  /** null: no reading. */
  readonly column: BlockColumn | null;
};

/** Decodes a block from what all ranges have of it, in their order. Errors: DamagedSegment. */
export function* decodeBlock(ranges: readonly StoredBlock[]): Sliced<SegmentBlock> {
  const parts: { readonly firstOrdinal: number; readonly ordinals: Uint32Array }[] = [];
  const columns: (Column | null)[] = [];
  for (const { firstOrdinal, keyCount, keys, totals } of ranges) {
    const ordinals = keys === null ? allOrdinals(keyCount) : readTileKeys(keys, keyCount);
    parts.push({ firstOrdinal, ordinals });
    columns.push(totals && readTileTotals(totals, ordinals.length));
    yield;
  }
  const lengths = parts.map(({ ordinals }) => ordinals.length);
  const arrays = new SharedArrays();
  const ids = arrays.words(lengths.reduce((sum, length) => sum + length, 0));
  let to = 0;
  for (const { firstOrdinal, ordinals } of parts) {
    for (let i = 0; i < ordinals.length; i += 1)
      ids[to + i] = firstOrdinal + (ordinals[i] as number);
    to += ordinals.length;
    yield;
  }
  const joined = joinColumns(columns, lengths, arrays);
  return { ids, column: joined && boundedColumn(joined) };
}

function allOrdinals(count: number): Uint32Array {
  const ordinals = new Uint32Array(count);
  for (let i = 0; i < count; i += 1) ordinals[i] = i;
  return ordinals;
}
