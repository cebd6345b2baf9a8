import { type Column, pickRows } from '../codes/column.ts';
import { sortByNumber } from '../codes/sort-by-number.ts';
import type { Readings } from '../readings/readings.ts';
import type { SegmentShape } from '../shape.ts';
import { tileGrid, tileOf } from './tile-seconds.ts';

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
  /** By slot − 1; null: no reading of the meter. */
  readonly columns: readonly (Column | null)[];
};

/** Divides the readings of a range into tiles, in time order; only those with a row. */
export function tilesOf(
  readings: Readings,
  tileSeconds: number,
  { bucketSeconds }: Pick<SegmentShape, 'bucketSeconds'>,
): TileReadings[] {
  const rowsOf = rowsByTile(readings, tileSeconds);
  const keyOf = keysOfRows(readings);
  return rowsOf.map(([start, rows]) => {
    const { origin } = tileGrid(start, bucketSeconds);
    const ordinals = new Uint32Array(rows.length);
    const ends = new Uint32Array(rows.length);
    const buckets = new Uint16Array(rows.length);
    let keys = 0;
    for (let i = 0; i < rows.length; i += 1) {
      const row = rows[i] as number;
      const key = keyOf[row] as number;
      if (i === 0 || key !== ordinals[keys - 1]) {
        ordinals[keys] = key;
        keys += 1;
      }
      ends[keys - 1] = i + 1;
      buckets[i] = ((readings.starts[row] as number) - origin) / bucketSeconds;
    }
    return {
      start,
      ordinals: ordinals.slice(0, keys),
      ends: ends.slice(0, keys),
      buckets,
      columns: readings.columns.map((column) => column && presentRows(column, rows)),
    };
  });
}

/** Returns the rows of a column; null if none of them has a reading. */
function presentRows(column: Column, rows: Uint32Array): Column | null {
  const picked = pickRows(column, rows);
  const { low } = picked.values;
  for (let row = 0; row < low.length; row += 1) if (!Number.isNaN(low[row])) return picked;
  return null;
}

/** Returns the rows of each tile, in their order; tiles in time order. */
function rowsByTile({ starts }: Readings, tileSeconds: number): [number, Uint32Array][] {
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
  const { rows, ends } = sortByNumber(tiles, count);
  return Array.from(ends, (end, i): [number, Uint32Array] => [
    origin + i * tileSeconds,
    rows.subarray(i === 0 ? 0 : ends[i - 1], end),
  ]).filter(([, own]) => own.length > 0);
}

function keysOfRows({ keyCount, ends, starts }: Readings): Uint32Array {
  const keyOf = new Uint32Array(starts.length);
  for (let key = 0, row = 0; key < keyCount; key += 1) {
    for (; row < (ends[key] as number); row += 1) keyOf[row] = key;
  }
  return keyOf;
}
