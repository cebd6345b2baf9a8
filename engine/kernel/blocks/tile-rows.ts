import type { Sliced } from '../../../domain/sliced.ts';
import { type Aggregate, isCounting } from '../../../domain/toppers/meter-type.ts';
import { type Column, pickRows } from '../../../segments/codes/column.ts';
import { NARROW_BOUND } from '../../../segments/codes/lanes.ts';
import { aggregateColumns } from '../../../segments/readings/aggregate-columns.ts';
import { joinColumns } from '../../../segments/readings/join-columns.ts';
import { readTileKeys, readTileTotals, readTileValues } from '../../../segments/tiles/tile.ts';
import { readTileTimes } from '../../../segments/tiles/tile-times.ts';
import { type BlockColumn, boundedColumn } from '../aggregate/aggregate-blocks.ts';
import { SharedArrays } from '../aggregate/shared-arrays.ts';
import type { SegmentBlock, StoredBlock } from './decode-blocks.ts';

/** A tile of one meter as stored, for one range of a segment's keys. */
export type StoredTile = StoredBlock & {
  readonly keys: Uint8Array;
  readonly times: Uint8Array;
  /** null: each key has one bucket. */
  readonly values: Uint8Array | null;
};

/**
 * The readings of a meter in a tile, for one range of a segment's keys: one row for each key and
 * bucket, ordered by key, then by bucket, in memory that threads share.
 */
export type TileRows = {
  /** By row: the ordinal of its key in the segment. */
  readonly ids: Uint32Array;
  /** By row: its bucket, counted from the first that starts in the tile. */
  readonly buckets: Uint16Array;
  /** null: no reading, or only the keys are requested. */
  readonly column: BlockColumn | null;
};

/** Errors: DamagedSegment. */
export function* decodeTile(stored: StoredTile, arrays = new SharedArrays()): Sliced<TileRows> {
  const { firstOrdinal, keyCount, keys, totals, values } = stored;
  const ordinals = readTileKeys(keys, keyCount);
  yield;
  const times = readTileTimes(stored.times, ordinals.length);
  yield;
  const column = totals && readTileValues(values, readTileTotals(totals, ordinals.length), times);
  const rows = times.buckets.length;
  const ids = arrays.words(rows);
  const buckets = arrays.shorts(rows);
  buckets.set(times.buckets);
  for (let key = 0, row = 0; key < ordinals.length; key += 1) {
    const id = firstOrdinal + (ordinals[key] as number);
    const end = times.ends[key] as number;
    for (; row < end; row += 1) ids[row] = id;
  }
  const shared = joinColumns([column], [rows], arrays);
  return { ids, buckets, column: shared && boundedColumn(shared) };
}

/** Buckets of a tile, from the index `first` to before `end`. */
export type BucketRange = { readonly first: number; readonly end: number };

/** Parts to cut from a tile of a segment. ranges: its rows, by range of keys, in their order. */
export type TileCut = {
  readonly aggregate: Aggregate;
  readonly ranges: readonly TileRows[];
  readonly parts: readonly BucketRange[];
};

/** Returns the blocks of the parts of a tile, in their order. */
export function* cutTile({ aggregate, ranges, parts }: TileCut): Sliced<SegmentBlock[]> {
  const blocks = new Map<BucketRange, SegmentBlock>();
  const arrays = new SharedArrays();
  const bound = ranges.reduce((sum, { column }) => sum + (column?.bound ?? 0), 0);
  const isPlain = ranges.every(
    ({ column }) => column === null || (column.values.high === null && column.counts === null),
  );
  const isQuick = isPlain && isCounting(aggregate) && bound < NARROW_BOUND;
  for (const apart of partsApart(parts)) {
    const made = isQuick
      ? yield* addUp(ranges, apart, arrays)
      : yield* combine({ aggregate, ranges, parts: apart }, arrays);
    for (const [i, part] of apart.entries()) blocks.set(part, made[i] as SegmentBlock);
  }
  return parts.map((part) => blocks.get(part) as SegmentBlock);
}

/** Puts parts that do not overlap into one list, so that one pass over the rows cuts them all. */
function partsApart(parts: readonly BucketRange[]): BucketRange[][] {
  const lists: BucketRange[][] = [];
  for (const part of parts.toSorted((a, b) => a.first - b.first)) {
    const list = lists.find((each) => (each.at(-1) as BucketRange).end <= part.first);
    if (list) list.push(part);
    else lists.push([part]);
  }
  return lists;
}

/** A bucket fits into 16 bits. */
const MAX_BUCKETS = 65_536;

/** Where the rows of parts go; index 0 is for the rows of no part. */
type Places = {
  /** By bucket: the index of its part, counted from 1; 0: none. */
  readonly partOf: Uint16Array;
  /** By part: where its rows begin and, so far, end. There is room for all of them. */
  readonly begins: Uint32Array;
  readonly ends: Uint32Array;
  /** By row of a part. */
  readonly ids: Uint32Array;
};

function placesOf(ranges: readonly TileRows[], parts: readonly BucketRange[]): Places {
  const partOf = new Uint16Array(MAX_BUCKETS);
  for (const [i, { first, end }] of parts.entries()) partOf.fill(i + 1, first, end);
  const counts = new Uint32Array(parts.length + 1);
  for (const { buckets } of ranges) {
    for (let row = 0; row < buckets.length; row += 1) {
      const part = partOf[buckets[row] as number] as number;
      counts[part] = (counts[part] as number) + 1;
    }
  }
  const begins = new Uint32Array(parts.length + 1);
  for (let part = 2; part <= parts.length; part += 1) {
    begins[part] = (begins[part - 1] as number) + (counts[part - 1] as number);
  }
  const rows = (begins[parts.length] as number) + (counts[parts.length] as number);
  return { partOf, begins, ends: begins.slice(), ids: new Uint32Array(rows) };
}

/**
 * The common case: sums of whole numbers that doubles hold. The rows of a key are adjacent and
 * ascend in time, so a key's rows in a part follow each other.
 */
function* addUp(
  ranges: readonly TileRows[],
  parts: readonly BucketRange[],
  arrays: SharedArrays,
): Sliced<SegmentBlock[]> {
  const places = placesOf(ranges, parts);
  const sums = new Float64Array(places.ids.length);
  for (const rows of ranges) {
    if (rows.column) addRows(places, sums, rows, rows.column.values.low);
    else addKeys(places, sums, rows);
    yield;
  }
  const hasColumn = ranges.some(({ column }) => column !== null);
  return parts.map((_, i) => {
    const from = places.begins[i + 1] as number;
    const to = places.ends[i + 1] as number;
    const ids = sharedIds(places.ids.subarray(from, to), arrays);
    if (!hasColumn || from === to) return { ids, column: null };
    const low = arrays.doubles(to - from);
    low.set(sums.subarray(from, to));
    return { ids, column: boundedColumn({ values: { low, high: null }, counts: null }) };
  });
}

function addRows(
  { partOf, begins, ends, ids }: Places,
  sums: Float64Array,
  { ids: own, buckets }: TileRows,
  values: Float64Array,
): void {
  for (let row = 0; row < own.length; row += 1) {
    const part = partOf[buckets[row] as number] as number;
    const value = values[row] as number;
    if (part === 0) continue;
    const end = ends[part] as number;
    const id = own[row] as number;
    if (end > (begins[part] as number) && ids[end - 1] === id) {
      const sum = sums[end - 1] as number;
      if (Number.isNaN(sum)) sums[end - 1] = value;
      else if (!Number.isNaN(value)) sums[end - 1] = sum + value;
    } else {
      ids[end] = id;
      sums[end] = value;
      ends[part] = end + 1;
    }
  }
}

/** A key without a reading of the meter is there all the same, as in the block of a whole tile. */
function addKeys(
  { partOf, begins, ends, ids }: Places,
  sums: Float64Array,
  { ids: own, buckets }: TileRows,
): void {
  for (let row = 0; row < own.length; row += 1) {
    const part = partOf[buckets[row] as number] as number;
    const end = ends[part] as number;
    if (part === 0) continue;
    if (end > (begins[part] as number) && ids[end - 1] === own[row]) continue;
    ids[end] = own[row] as number;
    sums[end] = Number.NaN;
    ends[part] = end + 1;
  }
}

/** All other meters. */
function* combine(
  { aggregate, ranges, parts }: TileCut,
  arrays: SharedArrays,
): Sliced<SegmentBlock[]> {
  const places = placesOf(ranges, parts);
  const { begins, ends, ids } = places;
  const lengths = ranges.map((each) => each.ids.length);
  const column = joinColumns(
    ranges.map((each) => each.column),
    lengths,
  );
  const picked: PickedRows = {
    ends: begins.slice(),
    rows: new Uint32Array(ids.length),
    targets: new Uint32Array(ids.length),
  };
  let first = 0;
  for (const rows of ranges) {
    pickRowsOfParts(places, picked, { ...rows, first });
    first += rows.ids.length;
    yield;
  }
  const blocks: SegmentBlock[] = [];
  for (let part = 1; part <= parts.length; part += 1) {
    const from = begins[part] as number;
    const keys = (ends[part] as number) - from;
    const to = picked.ends[part] as number;
    const targets = picked.targets.subarray(from, to);
    const own = column && { column: pickRows(column, picked.rows.subarray(from, to)), targets };
    blocks.push({
      ids: sharedIds(ids.subarray(from, from + keys), arrays),
      column:
        own && keys > 0 ? sharedColumn(aggregateColumns([own], aggregate, keys), arrays) : null,
    });
    yield;
  }
  return blocks;
}

/** By part: the rows that it has, and the index of the key of each; they begin as `Places` do. */
type PickedRows = {
  readonly ends: Uint32Array;
  readonly rows: Uint32Array;
  readonly targets: Uint32Array;
};

/** first: the number of rows in the ranges before it. */
type RowsToPick = Pick<TileRows, 'ids' | 'buckets'> & { readonly first: number };

function pickRowsOfParts(
  { partOf, begins, ends, ids }: Places,
  picked: PickedRows,
  { ids: own, buckets, first }: RowsToPick,
): void {
  for (let row = 0; row < own.length; row += 1) {
    const part = partOf[buckets[row] as number] as number;
    if (part === 0) continue;
    const begin = begins[part] as number;
    const end = ends[part] as number;
    const isSame = end > begin && ids[end - 1] === own[row];
    if (!isSame) {
      ids[end] = own[row] as number;
      ends[part] = end + 1;
    }
    const to = picked.ends[part] as number;
    picked.rows[to] = first + row;
    picked.targets[to] = (isSame ? end - 1 : end) - begin;
    picked.ends[part] = to + 1;
  }
}

function sharedIds(own: Uint32Array, arrays: SharedArrays): Uint32Array {
  const ids = arrays.words(own.length);
  ids.set(own);
  return ids;
}

function sharedColumn(column: Column, arrays: SharedArrays): BlockColumn | null {
  const shared = joinColumns([column], [column.values.low.length], arrays);
  return shared && boundedColumn(shared);
}
