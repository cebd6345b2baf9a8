import { type Column, columnPart, pickRows } from '../codes/column.ts';
import { sortByNumber } from '../codes/sort-by-number.ts';
import type { Readings } from '../readings/readings.ts';
import type { SegmentShape } from '../shape.ts';
import { type TileGrid, tileGrid, tileOf } from './tile-seconds.ts';

/** The rows of a range in one tile, ordered by key, then by bucket. */
export type TileReadings = {
  /** Start of the tile, epoch seconds. */
  readonly start: number;
  /** The keys with a row, ascending: their ordinals in the range. */
  readonly ordinals: Uint32Array;
  /** The rows of the key at index i of `ordinals` end at ends[i]. */
  readonly ends: Uint32Array;
  /** By row: its bucket, counted from the first that starts in the tile. */
  readonly buckets: Uint16Array;
  /** By meter; null: no reading of the meter. */
  readonly columns: readonly (Column | null)[];
};

/** Divides the readings of a range into tiles, in time order; only those with a row. */
export function tilesOf(
  readings: Readings,
  tileSeconds: number,
  { bucketSeconds }: Pick<SegmentShape, 'bucketSeconds'>,
): TileReadings[] {
  const { rows, ends, origin } = rowsByTile(readings, tileSeconds);
  const keyOf = keysOfRows(readings);
  const columns = readings.columns.map((column) => column && pickRows(column, rows));
  const tiles: TileReadings[] = [];
  let from = 0;
  for (const [i, to] of ends.entries()) {
    if (to === from) continue;
    const start = origin + i * tileSeconds;
    const own = rows.subarray(from, to);
    tiles.push({
      start,
      ...keysOfTile(own, keyOf),
      buckets: bucketsOf(own, readings, tileGrid(start, bucketSeconds)),
      columns: columns.map((column) => column && presentRows(column, { from, to })),
    });
    from = to;
  }
  return tiles;
}

/** Returns the keys of the rows of a tile, and where the rows of each end. */
function keysOfTile(
  rows: Uint32Array,
  keyOf: Uint32Array,
): Pick<TileReadings, 'ordinals' | 'ends'> {
  const ordinals = new Uint32Array(rows.length);
  const ends = new Uint32Array(rows.length);
  let keys = 0;
  let before = -1;
  for (let i = 0; i < rows.length; i += 1) {
    const key = keyOf[rows[i] as number] as number;
    if (key !== before) {
      ordinals[keys] = key;
      keys += 1;
      before = key;
    }
    ends[keys - 1] = i + 1;
  }
  return { ordinals: ordinals.subarray(0, keys), ends: ends.subarray(0, keys) };
}

function bucketsOf(
  rows: Uint32Array,
  { starts }: Readings,
  { origin, bucketSeconds }: TileGrid,
): Uint16Array {
  const buckets = new Uint16Array(rows.length);
  for (let i = 0; i < rows.length; i += 1) {
    buckets[i] = ((starts[rows[i] as number] as number) - origin) / bucketSeconds;
  }
  return buckets;
}

/** Rows of a range, ordered by tile. */
type RowSpan = { readonly from: number; readonly to: number };

/** Returns some rows of a column; null if none of them has a reading. */
function presentRows(column: Column, { from, to }: RowSpan): Column | null {
  const { low } = column.values;
  for (let row = from; row < to; row += 1) {
    if (!Number.isNaN(low[row])) return columnPart(column, from, to);
  }
  return null;
}

/**
 * Returns the rows ordered by tile, then as they are, and where those of each tile end. `origin` is
 * the start of the first tile; the tiles follow each other without gaps.
 */
function rowsByTile({ starts }: Readings, tileSeconds: number) {
  let first = Number.POSITIVE_INFINITY;
  let last = 0;
  for (let row = 0; row < starts.length; row += 1) {
    first = Math.min(first, starts[row] as number);
    last = Math.max(last, starts[row] as number);
  }
  const origin = tileOf(first, tileSeconds);
  const count = Math.floor((last - origin) / tileSeconds) + 1;
  const tiles = new Uint32Array(starts.length);
  for (let row = 0; row < tiles.length; row += 1) {
    tiles[row] = ((starts[row] as number) - origin) / tileSeconds;
  }
  return { ...sortByNumber(tiles, count), origin };
}

function keysOfRows({ keyCount, ends, starts }: Readings): Uint32Array {
  const keyOf = new Uint32Array(starts.length);
  for (let key = 0, row = 0; key < keyCount; key += 1) {
    for (; row < (ends[key] as number); row += 1) keyOf[row] = key;
  }
  return keyOf;
}
