import { ByteReader, ByteWriter } from '../codes/bytes.ts';
import type { Column } from '../codes/column.ts';
import { readColumn, writeColumn } from '../codes/column-code.ts';
import { readOrdinals, writeOrdinals } from '../codes/ordinals.ts';
import { DamagedSegment } from '../damaged-segment.ts';
import { bucketRows, type Readings } from '../readings/readings.ts';

/*
 * Blocks of one level that follow each other, stored together. A read needs the ordinals and one
 * meter, so each of these is a section of its own:
 *
 *     ordinals   the number of blocks; for each the distance of its start to the one before, in
 *                steps, its number of keys, its bytes, and these
 *     a meter    for each block the bytes of its column (0: no reading), and these
 */

/** A group is closed when it has so many blocks, or rows. */
const MAX_BLOCKS = 15;
const MAX_ROWS = 16_384;

/** Neighbouring buckets of readings; `to` is not among them. */
export type BucketRange = { readonly from: number; readonly to: number };

/** Which buckets are stored together. */
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

/** Starts of blocks are counted in steps; the whole span has one block, at any start. */
const stepOf = (stepSeconds: number): number => (Number.isFinite(stepSeconds) ? stepSeconds : 1);

const scratch = new ByteWriter();

/** `first`: the start of the group's first block; in the totals of a segment, that of its span. */
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

/** Null: no block of the group has a reading of the meter. */
export function writeGroupColumn(
  readings: Readings,
  { from, to }: BucketRange,
  place: number,
): Uint8Array | null {
  const column = readings.columns[place];
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

/** A block's keys, and where it is in its group, by which its columns are read. */
export type BlockKeys = {
  readonly start: number;
  readonly place: number;
  readonly count: number;
  /**
   * Unpacks the ordinals into an array of `count`, with `first` added to each. Only when it is
   * called: a read wants some blocks of a group.
   */
  readonly unpack: (into: Uint32Array, first: number) => void;
};

/** The blocks of a group, from its section of ordinals. Errors: DamagedSegment. */
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
  for (let place = 0; place < count; place += 1) {
    const distance = reader.varint();
    if (place > 0 && distance === 0) throw new DamagedSegment('two blocks have the same start');
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
    blocks.push({ start, place, count: keys, unpack });
  }
  requireEnd(reader);
  return blocks;
}

/** The columns of all blocks of a group; `counts`: how many keys each has. Errors: DamagedSegment. */
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

function requireEnd(reader: ByteReader): void {
  if (reader.at !== reader.bytes.length) throw new DamagedSegment('bytes are left over');
}
