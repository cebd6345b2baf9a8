import { floorTo } from '../domain/interval.ts';
import { type Fold, isCounting } from '../domain/meter-type.ts';
import { NARROW_BOUND } from '../segments/codes/lanes.ts';
import { mergeBlocks, type SlotFolds } from './merge-blocks.ts';
import type { BlockColumn, ShardBlock } from './packed-run.ts';
import { boundOf } from './unit-column.ts';

/** In place of a key: all keys of the group together. */
export const WHOLE_GROUP = -1;

/**
 * The grid of a slice's series: its topper buckets, counted from the one that the slice begins in.
 */
export type SeriesGrid = { readonly origin: number; readonly stepSeconds: number };

export const seriesGrid = (sliceStart: number, stepSeconds: number): SeriesGrid => ({
  origin: floorTo(sliceStart, stepSeconds),
  stepSeconds,
});

/**
 * The blocks of one shard turned around: of each key a "block" whose start is the key's id and
 * whose ids are places on the grid. Blocks ascend by start.
 *
 * Readings are put in order of keys by counting (a counting sort: keys are dense), which keeps
 * those of one key in order of time; what falls into one topper bucket is then next to each other.
 */
export function keySeries(
  blocks: readonly ShardBlock[],
  folds: SlotFolds,
  grid: SeriesGrid,
): ShardBlock[] {
  const order = orderByKey(blocks);
  const places = blocks.map(({ start }) => placeOnGrid(start, grid));
  return isNarrow(blocks)
    ? narrowSeries(blocks, folds, order, places)
    : exactSeries(blocks, folds, order, places);
}

const placeOnGrid = (start: number, { origin, stepSeconds }: SeriesGrid): number =>
  Math.floor((start - origin) / stepSeconds);

/** All readings by key, then time: rowsEnd[key] is where those of the key end. */
type KeyOrder = {
  readonly rowsEnd: Uint32Array;
  readonly block: Uint32Array;
  readonly row: Uint32Array;
};

function orderByKey(blocks: readonly ShardBlock[]): KeyOrder {
  const size = blocks.reduce((most, { ids }) => Math.max(most, (ids.at(-1) ?? -1) + 1), 0);
  const next = new Uint32Array(size + 1);
  let total = 0;
  for (const { ids } of blocks) {
    total += ids.length;
    for (let row = 0; row < ids.length; row += 1) {
      const key = (ids[row] as number) + 1;
      next[key] = (next[key] as number) + 1;
    }
  }
  for (let key = 1; key <= size; key += 1) {
    next[key] = (next[key] as number) + (next[key - 1] as number);
  }
  const [blockOf, rowOf] = [new Uint32Array(total), new Uint32Array(total)];
  for (let block = 0; block < blocks.length; block += 1) {
    const { ids } = blocks[block] as ShardBlock;
    for (let row = 0; row < ids.length; row += 1) {
      const key = ids[row] as number;
      const at = next[key] as number;
      blockOf[at] = block;
      rowOf[at] = row;
      next[key] = at + 1;
    }
  }
  return { rowsEnd: next.subarray(0, size), block: blockOf, row: rowOf };
}

/** Whether all that is added stays exact in doubles. */
function isNarrow(blocks: readonly ShardBlock[]): boolean {
  let bound = 0;
  for (const { columns } of blocks) {
    for (const column of columns) {
      if (!column) continue;
      const { values, counts } = column;
      if (values.high !== null || (counts?.high ?? null) !== null) return false;
      bound += boundOf(values) + (counts ? boundOf(counts) : 0);
    }
  }
  return bound < NARROW_BOUND;
}

/** The series of all keys one after the other, in arrays of which each key gets a part. */
type Lane = { readonly low: Float64Array; readonly counts: Float64Array | null };

function narrowSeries(
  blocks: readonly ShardBlock[],
  folds: SlotFolds,
  order: KeyOrder,
  places: readonly number[],
): ShardBlock[] {
  const { starts, ids } = foldPlaces(order, places);
  const lanes = folds.map((fold, slot) =>
    fold && blocks.some(({ columns }) => columns[slot])
      ? foldLane(blocks, { fold, slot, order, places, length: ids.length })
      : null,
  );
  const series: ShardBlock[] = [];
  let from = 0;
  for (let key = 0; key < starts.length; key += 1) {
    const to = starts[key] as number;
    if (to > from) {
      const columns = lanes.map((lane) => lane && partOf(lane, from, to));
      series.push({ start: key, ids: ids.subarray(from, to), columns });
    }
    from = to;
  }
  return series;
}

const partOf = ({ low, counts }: Lane, from: number, to: number): BlockColumn => ({
  values: { low: low.subarray(from, to), high: null },
  counts: counts && { low: counts.subarray(from, to), high: null },
});

/** The places on the grid of each key, without repetition, and where those of each key end. */
function foldPlaces(
  { rowsEnd, block }: KeyOrder,
  places: readonly number[],
): { starts: Uint32Array; ids: Uint32Array } {
  const starts = new Uint32Array(rowsEnd.length);
  const ids = new Uint32Array(block.length);
  let length = 0;
  let at = 0;
  for (let key = 0; key < rowsEnd.length; key += 1) {
    let before = -1;
    for (; at < (rowsEnd[key] as number); at += 1) {
      const place = places[block[at] as number] as number;
      if (place === before) continue;
      ids[length] = place;
      length += 1;
      before = place;
    }
    starts[key] = length;
  }
  return { starts, ids: ids.subarray(0, length) };
}

type LaneSource = {
  readonly fold: Fold;
  readonly slot: number;
  readonly order: KeyOrder;
  readonly places: readonly number[];
  readonly length: number;
};

/** Folds one slot's readings; goes through them exactly as foldPlaces does. */
function foldLane(blocks: readonly ShardBlock[], source: LaneSource): Lane {
  const { fold, slot, order, places, length } = source;
  const low = new Float64Array(length).fill(isCounting(fold) ? 0 : Number.NaN);
  const counts = fold === 'mean' ? new Float64Array(length) : null;
  let to = -1;
  let at = 0;
  for (let key = 0; key < order.rowsEnd.length; key += 1) {
    let before = -1;
    for (; at < (order.rowsEnd[key] as number); at += 1) {
      const block = order.block[at] as number;
      const place = places[block] as number;
      if (place !== before) to += 1;
      before = place;
      const column = (blocks[block] as ShardBlock).columns[slot];
      const row = order.row[at] as number;
      const value = column ? (column.values.low[row] as number) : Number.NaN;
      if (Number.isNaN(value)) continue;
      low[to] = foldTwo(fold, low[to] as number, value);
      if (counts) counts[to] = (counts[to] as number) + (column?.counts?.low[row] ?? 1);
    }
  }
  return { low, counts };
}

/** NaN: nothing so far. */
function foldTwo(fold: Fold, so: number, value: number): number {
  if (Number.isNaN(so)) return value;
  if (fold === 'max') return value > so ? value : so;
  if (fold === 'min') return value < so ? value : so;
  return so + value;
}

/** The same for numbers of any size, key by key. */
function exactSeries(
  blocks: readonly ShardBlock[],
  folds: SlotFolds,
  { rowsEnd, block, row }: KeyOrder,
  places: readonly number[],
): ShardBlock[] {
  const series: ShardBlock[] = [];
  let from = 0;
  for (let key = 0; key < rowsEnd.length; key += 1) {
    const to = rowsEnd[key] as number;
    const parts = Array.from({ length: to - from }, (_, i) => {
      const at = block[from + i] as number;
      return onePlace(blocks[at] as ShardBlock, row[from + i] as number, places[at] as number);
    });
    from = to;
    const merged = mergeBlocks(key, parts, folds);
    if (merged.ids.length > 0) series.push(merged);
  }
  return series;
}

/** One key's readings of one block, at its place on the grid. */
function onePlace(
  { columns }: ShardBlock,
  row: number,
  place: number,
): Pick<ShardBlock, 'ids' | 'columns'> {
  const pick = <T extends { low: Float64Array; high: Float64Array | null }>(lanes: T) => ({
    low: lanes.low.subarray(row, row + 1),
    high: lanes.high?.subarray(row, row + 1) ?? null,
  });
  return {
    ids: Uint32Array.of(place),
    columns: columns.map(
      (column) =>
        column && { values: pick(column.values), counts: column.counts && pick(column.counts) },
    ),
  };
}

/** The series of all keys of the blocks together, which may be of any shards. */
export const groupSeries = (
  blocks: readonly ShardBlock[],
  folds: SlotFolds,
  grid: SeriesGrid,
): ShardBlock =>
  mergeBlocks(
    WHOLE_GROUP,
    blocks.map(({ start, ids, columns }) => ({
      ids: new Uint32Array(ids.length).fill(placeOnGrid(start, grid)),
      columns,
    })),
    folds,
  );
