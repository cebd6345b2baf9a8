import type { Aggregate } from '../../../domain/toppers/meter-type.ts';
import { type Column, pickRows } from '../../../segments/codes/column.ts';
import {
  aggregateBlocks,
  type BlockReadings,
  boundedColumn,
  releaseAggregated,
} from '../aggregate/aggregate-blocks.ts';
import { countedRows, releaseRows } from '../select/key-rows.ts';

/** shift: number to add to each id. */
export type SparsePart = {
  readonly ids: Uint32Array;
  readonly columns: readonly (Column | null)[];
  readonly shift: number;
};

export type Joined = { readonly ids: Uint32Array; readonly column: Column | null };

/**
 * Joins readings of one meter, whose ids may be far apart, into one ascending list: consecutive
 * parts are appended, others are merged by the meter's rule.
 */
export function joinSparse(parts: readonly SparsePart[], aggregate: Aggregate): Joined {
  const some = parts.filter(({ ids }) => ids.length > 0);
  const ordered = some.toSorted((a, b) => firstId(a) - firstId(b));
  return appendAll(ordered, aggregate) ?? mergeRanked(ordered, aggregate);
}

const firstId = ({ ids, shift }: SparsePart): number => (ids[0] as number) + shift;

/** Appends the parts. null: a number is wide, or ids do not ascend across all parts. */
function appendAll(parts: readonly SparsePart[], aggregate: Aggregate): Joined | null {
  const length = parts.reduce((sum, { ids }) => sum + ids.length, 0);
  const ids = new Uint32Array(length);
  const low = new Float64Array(length);
  const counts = aggregate === 'mean' ? new Float64Array(length) : null;
  let to = 0;
  for (const { ids: own, columns, shift } of parts) {
    const column = columns[0];
    if (!column) continue;
    if (column.values.high || column.counts?.high) return null;
    const before = to === 0 ? -1 : (ids[to - 1] as number);
    const values = column.values.low;
    if (counts) copyCounts(counts.subarray(to), values, column.counts?.low ?? null);
    const end = copyPart({ ids: own, values, shift, before }, { ids, low, to });
    if (end === null) return null;
    to = end;
  }
  return {
    ids: ids.subarray(0, to),
    column: {
      values: { low: low.subarray(0, to), high: null },
      counts: counts && { low: counts.subarray(0, to), high: null },
    },
  };
}

type PartToCopy = {
  readonly ids: Uint32Array;
  readonly values: Float64Array;
  readonly shift: number;
  /** The last id so far, which all ids of the part must exceed. */
  readonly before: number;
};

type CopiedPart = {
  readonly ids: Uint32Array;
  readonly low: Float64Array;
  /** Where the part begins in both. */
  readonly to: number;
};

/**
 * Copies the ids with a value, and the values: writes each, and counts only these. Returns where
 * they end; null: the ids do not ascend.
 */
function copyPart(part: PartToCopy, into: CopiedPart): number | null {
  const { ids: own, values, shift } = part;
  const { ids, low } = into;
  let { before } = part;
  let { to } = into;
  for (let row = 0; row < own.length; row += 1) {
    const id = (own[row] as number) + shift;
    if (id <= before) return null;
    before = id;
    const value = values[row] as number;
    ids[to] = id;
    low[to] = value;
    to += Number.isNaN(value) ? 0 : 1;
  }
  return to;
}

/** Copies the counts of rows with a value; 1 if there are no counts. */
function copyCounts(into: Float64Array, values: Float64Array, counts: Float64Array | null): void {
  let to = 0;
  for (let row = 0; row < values.length; row += 1) {
    if (Number.isNaN(values[row] as number)) continue;
    into[to] = counts ? (counts[row] as number) : 1;
    to += 1;
  }
}

/**
 * Returns the values of each part if the parts need not be joined to know all values. The ids of
 * each part must ascend without repetition; NaN is not a value. null: the parts must be joined,
 * because a number is wide or has a count, or because ids of different parts overlap.
 */
export function plainColumns(parts: readonly SparsePart[]): Float64Array[] | null {
  const ordered = parts.filter(({ ids }) => ids.length > 0).sort((a, b) => firstId(a) - firstId(b));
  const columns: Float64Array[] = [];
  let before = -1;
  for (const part of ordered) {
    const [column] = part.columns;
    if (column?.values.high || column?.counts || firstId(part) <= before) return null;
    before = (part.ids.at(-1) as number) + part.shift;
    if (column) columns.push(column.values.low);
  }
  return columns;
}

/** Number of values, and how many of them are large enough. */
export type ValueTally = { readonly count: number; readonly reaching: number };

/** Counts values, and those that are at least `min`. */
export function tallyColumns(columns: readonly Float64Array[], min: number): ValueTally {
  let count = 0;
  let reaching = 0;
  for (const column of columns) {
    for (let row = 0; row < column.length; row += 1) {
      const value = column[row] as number;
      count += Number.isNaN(value) ? 0 : 1;
      reaching += value >= min ? 1 : 0;
    }
  }
  return { count, reaching };
}

let scratch = new Float64Array(4096);

/** Returns all values, in the order of the columns. The array is valid until the next call. */
export function appendColumns(columns: readonly Float64Array[]): Float64Array {
  const length = columns.reduce((sum, column) => sum + column.length, 0);
  if (scratch.length < length) scratch = new Float64Array(2 * length);
  let to = 0;
  for (const column of columns) {
    for (let row = 0; row < column.length; row += 1) {
      const value = column[row] as number;
      scratch[to] = value;
      to += Number.isNaN(value) ? 0 : 1;
    }
  }
  return scratch.subarray(0, to);
}

/** Merges by the ranks of the ids among all distinct ids, because ranks are dense. */
function mergeRanked(parts: readonly SparsePart[], aggregate: Aggregate): Joined {
  const all = parts.flatMap(({ ids, shift }) => Array.from(ids, (id) => id + shift));
  const distinct = Uint32Array.from(new Set(all)).sort();
  const rankOf = new Map(Array.from(distinct, (id, rank) => [id, rank]));
  const blocks = parts.flatMap(({ ids, columns: [column], shift }): BlockReadings[] => {
    if (!column) return [];
    const ranks = ids.map((id) => rankOf.get(id + shift) ?? 0);
    return [{ ids: ranks, column: boundedColumn(column), sign: 1 }];
  });
  const aggregated = aggregateBlocks(blocks, aggregate);
  const counted = countedRows(aggregated);
  const rows = counted.rows.slice(0, counted.length).sort();
  const column = pickRows(aggregated, rows);
  releaseRows(counted);
  releaseAggregated(aggregated);
  return { ids: rows.map((rank) => distinct[rank] ?? 0), column };
}
