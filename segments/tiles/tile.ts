import { type Aggregate, isCounting } from '../../domain/toppers/meter-type.ts';
import { type ByteReader, ByteWriter } from '../codes/bytes.ts';
import { type Column, pickRows } from '../codes/column.ts';
import { readColumn, writeColumn } from '../codes/column-code.ts';
import { bitsOf, requireFrames } from '../codes/frames.ts';
import { readHintedFrames, writeHintedFrames } from '../codes/hinted-frames.ts';
import { readOrdinals, writeOrdinals } from '../codes/ordinals.ts';
import { DamagedSegment } from '../damaged-segment.ts';
import { aggregateColumns } from '../readings/aggregate-columns.ts';
import { readWhole } from './read-whole.ts';
import type { TileReadings } from './tile-readings.ts';
import type { TileTimes } from './tile-times.ts';

/*
 * A tile stores each reading of a range of keys in its time once. Most keys have one bucket in it,
 * and their reading is their total; the others add what the total leaves open:
 *
 *     keys       how many, and their ordinals in the range
 *     times      the first bucket, and how many follow it until the last; if any do: one bit for
 *                each key that says whether it has several buckets, and frames of how many these
 *                have, less two; frames of the bucket of each key with one bucket; hinted frames of
 *                the gaps between the buckets of the others. An even spread is the hint
 *     totals     of a meter: the combined readings of each key, a column
 *     values     of a meter, only if a key has several buckets. 0: hinted frames of all readings
 *                of these keys but the last, which is what is missing from the total; the mean
 *                reading is the hint. 1: a column of all readings of these keys, for meters that
 *                are not sums, and for sums with missing, negative or very large readings
 *
 * So a whole tile is answered from keys and totals, and one that a window cuts from all sections.
 */

const REST = 0;
const COLUMN = 1;

export function writeTileKeys({ ordinals }: TileReadings, keyCount: number): Uint8Array {
  const out = new ByteWriter();
  out.varint(ordinals.length);
  writeOrdinals(out, ordinals, keyCount);
  return out.take();
}

/** Reads the ordinals of a tile's keys, of `keyCount` in the range. Errors: DamagedSegment. */
export function readTileKeys(section: Uint8Array, keyCount: number): Uint32Array {
  return readWhole(section, (reader) => {
    const count = reader.varint();
    if (count === 0 || count > keyCount) {
      throw new DamagedSegment(`a tile has ${count} of ${keyCount} keys`);
    }
    const ordinals = new Uint32Array(count);
    readOrdinals(reader, ordinals, { bound: keyCount, first: 0 });
    return ordinals;
  });
}

/** A meter's readings in a tile by row, and combined by key. */
export type TileMeter = {
  readonly column: Column;
  readonly totals: Column;
  readonly aggregate: Aggregate;
};

/** Returns the meters of a tile, by meter; null: no reading there. */
export function tileMeters(
  { ends, columns }: TileReadings,
  aggregates: readonly (Aggregate | null)[],
): (TileMeter | null)[] {
  const keyOf = keysOf(ends);
  return aggregates.map((aggregate, meterIndex) => {
    const column = columns[meterIndex];
    if (!column || aggregate === null) return null;
    return {
      column,
      totals: totalsBy(column, { keyOf, count: ends.length, aggregate }),
      aggregate,
    };
  });
}

/** The sections of a meter in a tile. values: null if no key has several buckets. */
type MeterSections = { readonly totals: Uint8Array; readonly values: Uint8Array | null };

export function writeTileMeter(
  { column, totals, aggregate }: TileMeter,
  { ends, buckets }: TileTimes,
): MeterSections {
  const out = new ByteWriter();
  writeColumn(out, totals, { from: 0, to: ends.length });
  const isSeveral = buckets.length > ends.length;
  return {
    totals: out.take(),
    values: isSeveral ? writeValues(column, totals, { ends, aggregate }) : null,
  };
}

/** Combines the rows of each key. */
export const tileTotals = (column: Column, ends: Uint32Array, aggregate: Aggregate): Column =>
  totalsBy(column, { keyOf: keysOf(ends), count: ends.length, aggregate });

/** Returns, by row, the index of its key. */
function keysOf(ends: Uint32Array): Uint32Array {
  const keyOf = new Uint32Array(ends[ends.length - 1] ?? 0);
  for (let key = 0, row = 0; key < ends.length; key += 1) {
    for (; row < (ends[key] as number); row += 1) keyOf[row] = key;
  }
  return keyOf;
}

type KeyTotals = {
  readonly keyOf: Uint32Array;
  readonly count: number;
  readonly aggregate: Aggregate;
};

const totalsBy = (column: Column, { keyOf, count, aggregate }: KeyTotals): Column =>
  keyOf.length === count
    ? column
    : aggregateColumns([{ column, targets: keyOf }], aggregate, count);

type ValueRows = { readonly ends: Uint32Array; readonly aggregate: Aggregate };

function writeValues(column: Column, totals: Column, { ends, aggregate }: ValueRows): Uint8Array {
  const out = new ByteWriter();
  if (isCounting(aggregate) && isPlain(column) && isPlain(totals)) {
    out.byte(REST);
    const { rest, hints } = restOf(column.values.low, totals.values.low, ends);
    writeHintedFrames(out, rest, hints);
    return out.take();
  }
  const several = pickRows(column, rowsOfSeveral(ends));
  const body = new ByteWriter();
  const isAny = writeColumn(body, several, { from: 0, to: several.values.low.length });
  out.byte(COLUMN);
  if (isAny) out.appendFrom(body);
  return out.take();
}

/** Whether all rows have a reading that is not negative, and below 2^53. */
function isPlain({ values: { low, high }, counts }: Column): boolean {
  if (high !== null || counts !== null) return false;
  for (let row = 0; row < low.length; row += 1) {
    // Also false if there is no reading.
    if (!((low[row] as number) >= 0)) return false;
  }
  return true;
}

/** Returns all readings of keys with several but the last of each, and their hints. */
function restOf(values: Float64Array, totals: Float64Array, ends: Uint32Array) {
  const rest = new Float64Array(values.length);
  let count = 0;
  let from = 0;
  for (const to of ends) {
    for (let row = from; row < to - 1; row += 1) {
      rest[count] = values[row] as number;
      count += 1;
    }
    from = to;
  }
  return { rest: rest.subarray(0, count), hints: restHints(totals, ends, count) };
}

function restHints(totals: Float64Array, ends: Uint32Array, count: number): Uint8Array {
  const hints = new Uint8Array(count);
  let to = 0;
  let from = 0;
  for (let key = 0; key < ends.length; key += 1) {
    const rows = (ends[key] as number) - from;
    if (rows > 1) {
      const hint = bitsOf(Math.ceil((totals[key] as number) / rows));
      for (const end = to + rows - 1; to < end; to += 1) hints[to] = hint;
    }
    from = ends[key] as number;
  }
  return hints;
}

/** Returns the rows of the keys that have several. */
function rowsOfSeveral(ends: Uint32Array): Uint32Array {
  const rows = new Uint32Array(ends[ends.length - 1] ?? 0);
  let count = 0;
  let from = 0;
  for (const to of ends) {
    if (to - from > 1) for (let row = from; row < to; row += 1) rows[count++] = row;
    from = to;
  }
  return rows.subarray(0, count);
}

/** Reads a meter's totals of a tile, one row for each of its keys. Errors: DamagedSegment. */
export const readTileTotals = (section: Uint8Array, keyCount: number): Column =>
  readWhole(section, (reader) => readColumn(reader, keyCount));

/**
 * Returns a meter's readings of a tile by row, from its totals and what its section of values adds.
 * Errors: DamagedSegment.
 */
export function readTileValues(
  section: Uint8Array | null,
  totals: Column,
  { ends, buckets }: TileTimes,
): Column {
  if (buckets.length === ends.length) return totals;
  if (section === null) throw new DamagedSegment('a tile lacks the readings of its buckets');
  return readWhole(section, (reader) => {
    const kind = reader.byte();
    if (kind === REST) return withRest(reader, totals, { ends, buckets });
    if (kind === COLUMN) return withColumn(reader, totals, ends);
    throw new DamagedSegment(`the readings of a tile have the unknown kind ${kind}`);
  });
}

function withRest(reader: ByteReader, totals: Column, { ends, buckets }: TileTimes): Column {
  if (!isPlain(totals)) throw new DamagedSegment('a tile has a rest without plain totals');
  const { low } = totals.values;
  const count = buckets.length - ends.length;
  requireFrames(reader, count);
  const rest = new Float64Array(count);
  readHintedFrames(reader, { hints: restHints(low, ends, count), into: rest });
  const values = new Float64Array(buckets.length);
  let index = 0;
  let from = 0;
  for (let key = 0; key < ends.length; key += 1) {
    const last = (ends[key] as number) - 1;
    let left = low[key] as number;
    for (let row = from; row < last; row += 1) {
      const value = rest[index] as number;
      index += 1;
      values[row] = value;
      left -= value;
    }
    if (left < 0) throw new DamagedSegment('the readings of a tile exceed their total');
    values[last] = left;
    from = last + 1;
  }
  return { values: { low: values, high: null }, counts: null };
}

function withColumn(reader: ByteReader, totals: Column, ends: Uint32Array): Column {
  const rows = rowsOfSeveral(ends);
  const isEmpty = reader.at === reader.bytes.length;
  const several = isEmpty ? null : readColumn(reader, rows.length);
  const singles = singlesOf(ends);
  const length = ends[ends.length - 1] ?? 0;
  const parts = [{ column: pickRows(totals, singles.keys), targets: singles.rows }];
  if (several) parts.push({ column: several, targets: rows });
  // Every row has at most one reading, so the rule does not matter; that of means keeps counts.
  const hasCounts = parts.some(({ column }) => column.counts !== null);
  return aggregateColumns(parts, hasCounts ? 'mean' : 'sum', length);
}

/** Returns the keys with one row, by index, and their rows. */
function singlesOf(ends: Uint32Array): { keys: Uint32Array; rows: Uint32Array } {
  const keys = new Uint32Array(ends.length);
  const rows = new Uint32Array(ends.length);
  let count = 0;
  let from = 0;
  for (let key = 0; key < ends.length; key += 1) {
    const to = ends[key] as number;
    if (to - from === 1) {
      keys[count] = key;
      rows[count] = from;
      count += 1;
    }
    from = to;
  }
  return { keys: keys.subarray(0, count), rows: rows.subarray(0, count) };
}
