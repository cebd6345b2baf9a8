import { DamagedSegment } from '../damaged-segment.ts';
import type { ByteReader, ByteWriter } from './bytes.ts';
import { type Column, columnPart } from './column.ts';
import { readFrames, writeFrames } from './frames.ts';
import { HIGH_UNIT, type Lanes, NARROW_BOUND, narrowLanes, wideLanes } from './lanes.ts';

/*
 * The encoding of a meter's readings. The reader knows the order of the rows from elsewhere.
 *
 *     flags      which of the following parts are present
 *     presence   one bit per row, if some rows have no reading
 *     values     frames; if some values are negative, the sign is in the lowest bit
 *     large      numbers that frames cannot hold (they are 0 there): how many, then for each the
 *                distance of its position from the previous one, and its upper and lower half
 *     counts     for means that are sums of several readings: values and large numbers again
 */

const FLAG = { gaps: 1, signed: 2, large: 4, counts: 8, largeCounts: 16 } as const;
const ALL_FLAGS = 31;

/** Bound for numbers with the sign in the lowest bit, which takes one bit. */
const SIGNED_BOUND = NARROW_BOUND / 2;

/** The rows from `from` to before `to`. */
type RowRange = { readonly from: number; readonly to: number };

/**
 * Writes some rows of a column. If none of them has a reading, returns false and writes nothing.
 */
export function writeColumn(out: ByteWriter, column: Column, { from, to }: RowRange): boolean {
  if (from === to) return false;
  if (!isPlain(column, from, to)) return writeAnyColumn(out, columnPart(column, from, to));
  out.byte(0);
  writeFrames(out, column.values.low, from, to);
  return true;
}

/** Whether frames can hold the readings as they are, which is true of nearly all columns. */
function isPlain({ values: { low, high }, counts }: Column, from: number, to: number): boolean {
  if (high !== null || counts !== null) return false;
  for (let row = from; row < to; row += 1) {
    // Also false if there is no reading.
    if (!((low[row] as number) >= 0)) return false;
  }
  return true;
}

function writeAnyColumn(out: ByteWriter, column: Column): boolean {
  const rows = presentRows(column.values.low);
  if (rows.length === 0) return false;
  const values = prepare(column.values, rows);
  const counts = column.counts && prepare(column.counts, rows);
  const hasGaps = rows.length < column.values.low.length;
  let flags = 0;
  if (hasGaps) flags |= FLAG.gaps;
  if (values.isSigned) flags |= FLAG.signed;
  if (values.large.length > 0) flags |= FLAG.large;
  if (counts) flags |= FLAG.counts;
  if (counts && counts.large.length > 0) flags |= FLAG.largeCounts;
  out.byte(flags);
  if (hasGaps) writePresence(out, column.values.low);
  writeNumbers(out, values);
  if (counts) writeNumbers(out, counts);
  return true;
}

/** Returns the rows that have a reading. */
function presentRows(low: Float64Array): Uint32Array {
  const rows = new Uint32Array(low.length);
  let length = 0;
  for (let row = 0; row < low.length; row += 1) {
    rows[length] = row;
    if (!Number.isNaN(low[row])) length += 1;
  }
  return rows.subarray(0, length);
}

function writePresence(out: ByteWriter, low: Float64Array): void {
  const bits = new Uint8Array(Math.ceil(low.length / 8));
  for (let row = 0; row < low.length; row += 1) {
    if (!Number.isNaN(low[row])) bits[row >> 3] = (bits[row >> 3] as number) | (1 << (row & 7));
  }
  out.append(bits);
}

type LargeNumber = { readonly index: number; readonly high: number; readonly low: number };

/** The numbers of some rows in the form that frames take. */
type Prepared = {
  readonly numbers: Float64Array;
  readonly isSigned: boolean;
  readonly large: readonly LargeNumber[];
};

function prepare(lanes: Lanes, rows: Uint32Array): Prepared {
  const isSigned = hasNegative(lanes, rows);
  const bound = isSigned ? SIGNED_BOUND : NARROW_BOUND;
  const numbers = new Float64Array(rows.length);
  const large: LargeNumber[] = [];
  for (let index = 0; index < rows.length; index += 1) {
    const row = rows[index] as number;
    const low = lanes.low[row] as number;
    const high = lanes.high?.[row] ?? 0;
    const value = high * HIGH_UNIT + low;
    if (Math.abs(value) >= bound) {
      const upper = high + Math.floor(low / HIGH_UNIT);
      large.push({ index, high: upper, low: low - Math.floor(low / HIGH_UNIT) * HIGH_UNIT });
    } else if (isSigned) numbers[index] = value < 0 ? -2 * value - 1 : 2 * value;
    else numbers[index] = value;
  }
  return { numbers, isSigned, large };
}

function hasNegative({ low, high }: Lanes, rows: Uint32Array): boolean {
  const signs = high ?? low;
  for (let index = 0; index < rows.length; index += 1) {
    if ((signs[rows[index] as number] as number) < 0) return true;
  }
  return false;
}

function writeNumbers(out: ByteWriter, { numbers, large }: Prepared): void {
  writeFrames(out, numbers);
  if (large.length === 0) return;
  out.varint(large.length);
  let before = 0;
  for (const { index, high, low } of large) {
    out.varint(index - before);
    out.signed(high);
    out.varint(low);
    before = index;
  }
}

/** Reads `length` rows written by writeColumn. Errors: DamagedSegment. */
export function readColumn(reader: ByteReader, length: number): Column {
  const flags = reader.byte();
  if (flags > ALL_FLAGS) throw new DamagedSegment(`a column has the unknown flags ${flags}`);
  const rows = (flags & FLAG.gaps) === 0 ? null : readPresence(reader, length);
  const values = readNumbers(reader, { length, rows, missing: Number.NaN }, flags & VALUE_FLAGS);
  if ((flags & FLAG.counts) === 0) return { values, counts: null };
  const countFlags = (flags & FLAG.largeCounts) === 0 ? 0 : FLAG.large;
  return { values, counts: readNumbers(reader, { length, rows, missing: 0 }, countFlags) };
}

const VALUE_FLAGS = FLAG.signed | FLAG.large;

function readPresence(reader: ByteReader, length: number): Uint32Array {
  const from = reader.at;
  reader.skip(Math.ceil(length / 8));
  const rows = new Uint32Array(length);
  let count = 0;
  for (let row = 0; row < length; row += 1) {
    rows[count] = row;
    count += ((reader.bytes[from + (row >> 3)] as number) >> (row & 7)) & 1;
  }
  return rows.subarray(0, count);
}

/** The rows that numbers go into: all (null) or some. The other rows get `missing`. */
type Rows = {
  readonly length: number;
  readonly rows: Uint32Array | null;
  readonly missing: number;
};

function readNumbers(reader: ByteReader, { length, rows, missing }: Rows, flags: number): Lanes {
  const count = rows === null ? length : rows.length;
  const numbers = new Float64Array(count);
  readFrames(reader, count, numbers);
  if ((flags & FLAG.signed) !== 0) removeSigns(numbers);
  const lanes = (flags & FLAG.large) === 0 ? { low: numbers, high: null } : widened(numbers);
  if (lanes.high !== null) readLarge(reader, lanes.low, lanes.high);
  return rows === null ? lanes : spread(lanes, { length, rows, missing });
}

function removeSigns(numbers: Float64Array): void {
  for (let i = 0; i < numbers.length; i += 1) {
    const value = numbers[i] as number;
    const half = Math.floor(value / 2);
    numbers[i] = half * 2 === value ? half : -half - 1;
  }
}

function widened(numbers: Float64Array) {
  const lanes = wideLanes(numbers.length);
  for (let row = 0; row < numbers.length; row += 1) {
    const value = numbers[row] as number;
    const high = Math.floor(value / HIGH_UNIT);
    lanes.high[row] = high;
    lanes.low[row] = value - high * HIGH_UNIT;
  }
  return lanes;
}

function readLarge(reader: ByteReader, low: Float64Array, high: Float64Array): void {
  const count = reader.varint();
  let index = 0;
  for (let i = 0; i < count; i += 1) {
    const step = reader.varint();
    index += step;
    if (index >= low.length || (i > 0 && step === 0)) {
      throw new DamagedSegment(`a column of ${low.length} readings has no index ${index}`);
    }
    high[index] = reader.signed();
    const lower = reader.varint();
    if (lower >= HIGH_UNIT) throw new DamagedSegment('the lower half of a number is too large');
    low[index] = lower;
  }
}

function spread(lanes: Lanes, { length, rows, missing }: Rows): Lanes {
  const wide: Lanes = lanes.high === null ? narrowLanes(length) : wideLanes(length);
  wide.low.fill(missing);
  if (rows === null) return wide;
  for (let i = 0; i < rows.length; i += 1) {
    const row = rows[i] as number;
    wide.low[row] = lanes.low[i] as number;
    if (wide.high !== null && lanes.high !== null) wide.high[row] = lanes.high[i] as number;
  }
  return wide;
}
