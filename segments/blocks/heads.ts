import { kthLargest } from '../../domain/toppers/kth-largest.ts';
import { type Fold, isCounting } from '../../domain/toppers/meter-type.ts';
import { ByteReader, ByteWriter } from '../codes/bytes.ts';
import { type Column, columnPart, pickRows } from '../codes/column.ts';
import { type RowRange, readColumn, writeColumn } from '../codes/column-code.ts';
import { approximate, type Lanes } from '../codes/lanes.ts';
import { DamagedSegment } from '../damaged-segment.ts';
import type { KeyCodec } from '../keys/key-codec.ts';
import { type KeyList, keyAt } from '../keys/key-list.ts';
import { KeyListBuilder } from '../keys/key-list-builder.ts';
import { readKeySection, SECTION_KEYS, writeKeySection } from '../keys/key-section.ts';
import { foldColumns } from '../readings/fold-columns.ts';
import type { KeyRange } from '../readings/key-range.ts';
import { bucketRows } from '../readings/readings.ts';
import { type BucketRange, type GroupTimes, requireEnd, stepOf } from './block-group.ts';
import { HOUR } from './levels.ts';

/*
 * The head of a block has its largest keys by one counter, with the total and the number of all
 * keys. A topper of one whole block needs nothing else: neither the keys of the segment, of which
 * there may be millions, nor the other values of the block. Only blocks of an hour or longer have
 * heads, and only ranges whose keys are in several sections: others are read just as fast.
 *
 *     a meter of a group   for each block the distance of its start from the previous start, in
 *                          steps, the byte length of its head (0: no reading), and the head
 *     a head               number of keys that are not zero; the total of all keys, a column of one
 *                          row; how many keys follow; a section of these keys; a column of their
 *                          values
 *
 * Meters that are not counters have no heads: what remains of a maximum or a mean cannot be
 * calculated from a total.
 */

/** Maximum number of keys in a head: more than most toppers list. */
export const HEAD_KEYS = 128;

/** Whether a range has heads for the blocks of a level. */
export const hasHeads = (keyCount: number, stepSeconds: number): boolean =>
  keyCount > SECTION_KEYS && stepSeconds >= HOUR;

/** The largest keys of a block of a range. */
export type StoredHead = {
  /** Number of keys whose reading is not zero (decision 24). */
  readonly keyCount: number;
  /** One row: the sum of all keys. */
  readonly total: Lanes;
  /** The `HEAD_KEYS` largest of these keys, ascending; of equal ones the smaller. */
  readonly keys: KeyList;
  /** Their values, in the order of the keys. */
  readonly values: Lanes;
};

/** A level of a range, and one of its meters. */
type HeadSource = {
  readonly level: KeyRange;
  readonly meterIndex: number;
  readonly fold: Fold | null;
  readonly codec: KeyCodec;
};

/** Writes a meter's heads of a group. Null if no block of the group has one. */
export function writeGroupHeads(
  source: HeadSource,
  { from, to }: BucketRange,
  { stepSeconds, first }: GroupTimes,
): Uint8Array | null {
  const { readings } = source.level;
  const out = new ByteWriter();
  let isAny = false;
  let before = first;
  for (let bucket = from; bucket < to; bucket += 1) {
    const start = readings.starts[bucket] as number;
    const head = headOf(source, bucketRows(readings, bucket));
    const bytes = head ? writeHead(head, source.codec) : new Uint8Array(0);
    out.varint((start - before) / stepOf(stepSeconds));
    out.varint(bytes.length);
    out.append(bytes);
    before = start;
    isAny ||= head !== null;
  }
  return isAny ? out.take() : null;
}

/** Makes the head of a block. Null if it can have none, or has no reading. */
export function headOf({ level, meterIndex, fold }: HeadSource, rows: RowRange): StoredHead | null {
  const column = level.readings.columns[meterIndex];
  if (!column || fold === null || !isCounting(fold)) return null;
  const counted = countedRows(column.values, rows);
  if (counted.length === 0) return null;
  const largest = largestRows(column.values, counted).sort();
  const keys = new KeyListBuilder({ keys: largest.length, bytes: 0 });
  for (const row of largest) {
    keys.add(keyAt(level.keys, level.readings.ordinals[row] as number));
  }
  return {
    keyCount: counted.length,
    total: totalOf(column, rows, fold),
    keys: keys.finish(),
    values: pickRows(column, largest).values,
  };
}

/** Returns the rows that have a reading other than zero. */
function countedRows({ low, high }: Lanes, { from, to }: RowRange): Uint32Array {
  const rows = new Uint32Array(to - from);
  let length = 0;
  for (let row = from; row < to; row += 1) {
    rows[length] = row;
    const isZero = low[row] === 0 && (high === null || high[row] === 0);
    length += isZero || Number.isNaN(low[row]) ? 0 : 1;
  }
  return rows.subarray(0, length);
}

/** Returns the largest of some rows; of equal rows the first. */
function largestRows(values: Lanes, rows: Uint32Array): Uint32Array {
  if (rows.length <= HEAD_KEYS) return rows;
  const approx = new Float64Array(rows.length);
  for (let i = 0; i < rows.length; i += 1) approx[i] = approximate(values, rows[i] as number);
  // Rounding preserves the order, so no row below this is among the largest.
  const cut = kthLargest(approx, rows.length, HEAD_KEYS);
  const near: number[] = [];
  for (let i = 0; i < rows.length; i += 1) {
    if ((approx[i] as number) >= cut) near.push(rows[i] as number);
  }
  near.sort((a, b) => compareValues(values, b, a) || a - b);
  return Uint32Array.from(near.slice(0, HEAD_KEYS));
}

const compareValues = ({ low, high }: Lanes, a: number, b: number): number =>
  (high === null ? 0 : (high[a] as number) - (high[b] as number)) ||
  (low[a] as number) - (low[b] as number);

function totalOf(column: Column, { from, to }: RowRange, fold: Fold): Lanes {
  const rows = { column: columnPart(column, from, to), targets: new Uint32Array(to - from) };
  return foldColumns([rows], fold, 1).values;
}

function writeHead({ keyCount, total, keys, values }: StoredHead, codec: KeyCodec): Uint8Array {
  const out = new ByteWriter();
  out.varint(keyCount);
  writeColumn(out, { values: total, counts: null }, { from: 0, to: 1 });
  out.varint(keys.count);
  writeKeySection(out, keys, 0, keys.count, codec);
  writeColumn(out, { values, counts: null }, { from: 0, to: keys.count });
  return out.take();
}

/** A head of a group: the start of its block, and its bytes; empty: the block has no reading. */
type ListedHead = { readonly start: number; readonly bytes: Uint8Array };

function listHeads(section: Uint8Array, { stepSeconds, first }: GroupTimes): ListedHead[] {
  const reader = new ByteReader(section);
  const listed: ListedHead[] = [];
  let start = first;
  while (reader.at < section.length) {
    const distance = reader.varint();
    const isOrdered = listed.length === 0 || (distance > 0 && Number.isFinite(stepSeconds));
    if (!isOrdered) throw new DamagedSegment('two heads are of the same block');
    start += distance * stepOf(stepSeconds);
    const length = reader.varint();
    const from = reader.at;
    reader.skip(length);
    listed.push({ start, bytes: section.subarray(from, reader.at) });
  }
  return listed;
}

/**
 * Reads the head of the block that starts at `start` (any block of the whole span) from a meter's
 * section. Null if the block has no reading. Errors: DamagedSegment.
 */
export function readGroupHead(
  section: Uint8Array,
  codec: KeyCodec,
  times: GroupTimes,
  start: number,
): StoredHead | null {
  const isWhole = !Number.isFinite(times.stepSeconds);
  const found = listHeads(section, times).find((each) => isWhole || each.start === start);
  return found && found.bytes.length > 0 ? readHead(found.bytes, codec) : null;
}

/** Reads all heads of a meter's section, by the starts of their blocks. Errors: DamagedSegment. */
export const readGroupHeads = (
  section: Uint8Array,
  codec: KeyCodec,
  times: GroupTimes,
): ReadonlyMap<number, StoredHead> =>
  new Map(
    listHeads(section, times).flatMap(({ start, bytes }) =>
      bytes.length === 0 ? [] : [[start, readHead(bytes, codec)] as const],
    ),
  );

function readHead(bytes: Uint8Array, codec: KeyCodec): StoredHead {
  const reader = new ByteReader(bytes);
  const keyCount = reader.varint();
  const total = readValues(reader, 1);
  const count = reader.varint();
  if (count === 0 || count !== Math.min(keyCount, HEAD_KEYS)) {
    throw new DamagedSegment(`a head has ${count} of ${keyCount} keys`);
  }
  const keys = new KeyListBuilder({ keys: count, bytes: 0 });
  readKeySection(reader, codec, count, keys);
  const values = readValues(reader, count);
  if (countedRows(values, { from: 0, to: count }).length < count) {
    throw new DamagedSegment('a head has a key without a value');
  }
  requireEnd(reader);
  return { keyCount, total, keys: keys.finish(), values };
}

function readValues(reader: ByteReader, count: number): Lanes {
  const { values, counts } = readColumn(reader, count);
  if (counts !== null || values.low.some(Number.isNaN)) {
    throw new DamagedSegment('the numbers of a head are not those of a counter');
  }
  return values;
}
