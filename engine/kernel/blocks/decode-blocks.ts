import { mapSliced, type Sliced } from '../../../domain/sliced.ts';
import { readGroupColumns, readGroupKeys } from '../../../segments/blocks/block-group.ts';
import { WHOLE_SPAN } from '../../../segments/blocks/levels.ts';
import type { Column } from '../../../segments/codes/column.ts';
import { joinColumns } from '../../../segments/readings/join-columns.ts';
import { SharedArrays } from '../fold/shared-arrays.ts';
import { boundOf, type UnitColumn } from '../fold/unit-column.ts';

/** A group of blocks as stored, for one range of a segment's keys. */
export type StoredGroup = {
  readonly stepSeconds: number;
  /** The start of its first block. */
  readonly first: number;
  /** The ordinal of the range's first key in the segment, and the number of keys in the range. */
  readonly firstOrdinal: number;
  readonly keyCount: number;
  readonly ordinals: Uint8Array;
  /** By the index of the meter (slot − 1); missing: no reading. */
  readonly columns: ReadonlyMap<number, Uint8Array>;
};

/** The blocks of one level of one segment that start from `from` to before `to`. */
export type BlocksWanted = {
  readonly from: number;
  readonly to: number;
  readonly meterIndexes: readonly number[];
  /** The groups of all ranges, in the order of the ranges. */
  readonly groups: readonly StoredGroup[];
};

/** A block of a segment, in memory that threads share. ids: ordinals in the segment, ascending. */
export type SegmentBlock = {
  readonly start: number;
  readonly ids: Uint32Array;
  /** By the index of the meter; null: no reading. */
  readonly columns: ReadonlyMap<number, UnitColumn | null>;
};

/** Errors: DamagedSegment. */
export function* decodeBlocks({
  from,
  to,
  meterIndexes,
  groups,
}: BlocksWanted): Sliced<SegmentBlock[]> {
  const parts = new Map<number, BlockPart[]>();
  for (const group of groups) {
    for (const found of partsOf(group, meterIndexes)) {
      // Each range gives its own first bucket as the start of the whole span.
      const part = group.stepSeconds === WHOLE_SPAN ? { ...found, start: from } : found;
      if (part.start < from || part.start >= to) continue;
      const known = parts.get(part.start);
      if (known) known.push(part);
      else parts.set(part.start, [part]);
    }
    yield;
  }
  const arrays = new SharedArrays();
  const ordered = [...parts].sort(([a], [b]) => a - b);
  return yield* mapSliced(ordered, function* ([start, ofBlock]) {
    const ids = joinIds(ofBlock, arrays);
    const columns = new Map<number, UnitColumn | null>();
    for (const [i, meterIndex] of meterIndexes.entries()) {
      columns.set(meterIndex, joinParts(ofBlock, i, arrays));
      yield;
    }
    return { start, ids, columns };
  });
}

/** The part of a block that lies in one range. */
type BlockPart = {
  readonly start: number;
  readonly count: number;
  readonly firstOrdinal: number;
  readonly unpack: (into: Uint32Array, first: number) => void;
  /** In the order of `meterIndexes`. */
  readonly columns: readonly (() => Column | null)[];
};

const NO_COLUMN = () => null;

function partsOf(group: StoredGroup, meterIndexes: readonly number[]): BlockPart[] {
  const { stepSeconds, first, firstOrdinal, keyCount } = group;
  const blocks = readGroupKeys(group.ordinals, keyCount, { stepSeconds, first });
  const counts = blocks.map(({ count }) => count);
  const columns = meterIndexes.map((meterIndex) => {
    const section = group.columns.get(meterIndex);
    return section ? readGroupColumns(section, counts) : null;
  });
  return blocks.map(({ start, blockIndex, count, unpack }) => ({
    start,
    count,
    firstOrdinal,
    unpack,
    columns: columns.map((each) => each?.[blockIndex] ?? NO_COLUMN),
  }));
}

function joinIds(parts: readonly BlockPart[], arrays: SharedArrays): Uint32Array {
  const count = parts.reduce((sum, part) => sum + part.count, 0);
  const ids = arrays.words(count);
  let to = 0;
  for (const { count: own, firstOrdinal, unpack } of parts) {
    unpack(ids.subarray(to, to + own), firstOrdinal);
    to += own;
  }
  return ids;
}

function joinParts(
  parts: readonly BlockPart[],
  i: number,
  arrays: SharedArrays,
): UnitColumn | null {
  const columns = parts.map(({ columns: each }) => each[i]?.() ?? null);
  const lengths = parts.map(({ count }) => count);
  const joined = joinColumns(columns, lengths, arrays);
  if (joined === null) return null;
  const { values, counts } = joined;
  return {
    values,
    counts,
    bound: boundOf(values),
    countBound: counts === null ? values.low.length : boundOf(counts),
  };
}
