import { ByteReader, ByteWriter } from '../codes/bytes.ts';
import type { Column } from '../codes/column.ts';
import { readColumn, writeColumn } from '../codes/column-code.ts';
import { readOrdinals, writeOrdinals } from '../codes/ordinals.ts';
import { DamagedSegment } from '../damaged-segment.ts';
import { bucketRows, type Readings } from '../readings/readings.ts';

/*
 * Consecutive blocks of one level are stored together as a group. A query needs the ordinals and
 * one meter, so the ordinals and each meter are separate sections:
 *
 *     ordinals   number of blocks; for each block the distance of its start from the previous
 *                start, in steps, its number of keys, its byte length, and its ordinals
 *     a meter    for each block the byte length of its column (0: no reading), and the column
 */

/** Maximum number of blocks in a group, and of rows unless a single block has more. */
const MAX_BLOCKS = 15;
const MAX_ROWS = 16_384;

/** Consecutive buckets of readings, from `from` to before `to`. */
export type BucketRange = { readonly from: number; readonly to: number };

/** Divides the buckets into groups that are stored together. */
export function blockGroups(readings: Readings): BucketRange[] {
  const groups: BucketRange[] = [];
  let from = 0;
  let rows = 0;
  for (let bucket = 0; bucket < readings.starts.length; bucket += 1) {
    const own = bucketRows(readings, bucket);
    const isFull = bucket - from === MAX_BLOCKS || rows + own.to - own.from > MAX_ROWS;
    if (isFull && bucket > from) {
      groups.push({ from, to: bucket });
      from = bucket;
      rows = 0;
    }
    rows += own.to - own.from;
  }
  if (readings.starts.length > from) groups.push({ from, to: readings.starts.length });
  return groups;
}

/**
 * Returns the unit in which starts of blocks are counted. The block of the whole span may start at
 * any second.
 */
export const stepOf = (stepSeconds: number): number =>
  Number.isFinite(stepSeconds) ? stepSeconds : 1;

const scratch = new ByteWriter();

/** `first` is the start of the group's first block or, for a segment's totals, of its span. */
export type GroupTimes = { readonly stepSeconds: number; readonly first: number };

export function writeGroupOrdinals(
  readings: Readings,
  { from, to }: BucketRange,
  { stepSeconds, first }: GroupTimes,
): Uint8Array {
  const out = new ByteWriter();
  const step = stepOf(stepSeconds);
  let before = first;
  out.varint(to - from);
  for (let bucket = from; bucket < to; bucket += 1) {
    const rows = bucketRows(readings, bucket);
    const start = readings.starts[bucket] as number;
    scratch.clear();
    writeOrdinals(scratch, readings.ordinals.subarray(rows.from, rows.to), readings.keyCount);
    out.varint((start - before) / step);
    out.varint(rows.to - rows.from);
    out.varint(scratch.length);
    out.appendFrom(scratch);
    before = start;
  }
  return out.take();
}

/**
 * Writes a meter's section of a group. Null if no block of the group has a reading of the meter.
 */
export function writeGroupColumn(
  readings: Readings,
  { from, to }: BucketRange,
  meterIndex: number,
): Uint8Array | null {
  const column = readings.columns[meterIndex];
  if (!column) return null;
  const out = new ByteWriter();
  let isAny = false;
  for (let bucket = from; bucket < to; bucket += 1) {
    scratch.clear();
    if (writeColumn(scratch, column, bucketRows(readings, bucket))) isAny = true;
    out.varint(scratch.length);
    out.appendFrom(scratch);
  }
  return isAny ? out.take() : null;
}

/** The keys of a block, and its position in the group, by which its columns are read. */
export type BlockKeys = {
  readonly start: number;
  readonly blockIndex: number;
  readonly count: number;
  /**
   * Unpacks the ordinals into an array of `count`, adding `first` to each. They are unpacked on
   * demand because a query needs only some blocks of a group.
   */
  readonly unpack: (into: Uint32Array, first: number) => void;
};

/** Reads the blocks of a group from its section of ordinals. Errors: DamagedSegment. */
export function readGroupKeys(
  section: Uint8Array,
  keyCount: number,
  { stepSeconds, first }: GroupTimes,
): BlockKeys[] {
  const reader = new ByteReader(section);
  const count = reader.varint();
  const step = stepOf(stepSeconds);
  const blocks: BlockKeys[] = [];
  let start = first;
  for (let blockIndex = 0; blockIndex < count; blockIndex += 1) {
    const distance = reader.varint();
    if (blockIndex > 0 && distance === 0)
      throw new DamagedSegment('two blocks have the same start');
    start += distance * step;
    const keys = reader.varint();
    if (keys > keyCount) throw new DamagedSegment(`a block has ${keys} of ${keyCount} keys`);
    const length = reader.varint();
    const from = reader.at;
    reader.skip(length);
    const bytes = section.subarray(from, reader.at);
    const unpack = (into: Uint32Array, firstOrdinal: number) =>
      readWhole(bytes, (each) =>
        readOrdinals(each, into, { bound: keyCount, first: firstOrdinal }),
      );
    blocks.push({ start, blockIndex, count: keys, unpack });
  }
  requireEnd(reader);
  return blocks;
}

/**
 * Reads the columns of all blocks of a group; `counts` is the number of keys of each block. Errors:
 * DamagedSegment.
 */
export function readGroupColumns(
  section: Uint8Array,
  counts: readonly number[],
): (() => Column | null)[] {
  const reader = new ByteReader(section);
  const columns = counts.map((count) => {
    const length = reader.varint();
    const from = reader.at;
    reader.skip(length);
    if (length === 0) return () => null;
    const bytes = section.subarray(from, reader.at);
    return () => readWhole(bytes, (each) => readColumn(each, count));
  });
  requireEnd(reader);
  return columns;
}

function readWhole<Result>(bytes: Uint8Array, read: (reader: ByteReader) => Result): Result {
  const reader = new ByteReader(bytes);
  const result = read(reader);
  requireEnd(reader);
  return result;
}

/** Throws DamagedSegment if bytes are left over. */
export function requireEnd(reader: ByteReader): void {
  if (reader.at !== reader.bytes.length) throw new DamagedSegment('bytes are left over');
}
