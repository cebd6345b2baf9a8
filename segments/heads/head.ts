import { kthLargest } from '../../domain/toppers/kth-largest.ts';
import { type Aggregate, isCounting } from '../../domain/toppers/meter-type.ts';
import { type ByteReader, ByteWriter } from '../codes/bytes.ts';
import type { Column } from '../codes/column.ts';
import { readColumn, writeColumn } from '../codes/column-code.ts';
import { readFrames, writeFrames } from '../codes/frames.ts';
import {
  approximate,
  HIGH_UNIT,
  type Lanes,
  laneValue,
  NARROW_BOUND,
  narrowLanes,
  setWide,
  wideLanes,
} from '../codes/lanes.ts';
import { DamagedSegment } from '../damaged-segment.ts';
import type { KeyCodec } from '../keys/key-codec.ts';
import { type KeyList, keyAt } from '../keys/key-list.ts';
import { KeyListBuilder } from '../keys/key-list-builder.ts';
import { readKeySection, SECTION_KEYS, writeKeySection } from '../keys/key-section.ts';
import { readWhole } from '../tiles/read-whole.ts';

/*
 * A head has the largest keys of a segment, or of one of its tiles, by one counter, with the total
 * and the number of all keys. A topper of just that time needs nothing else: neither the keys of
 * the segment, of which there may be millions, nor their readings. Only segments with several
 * sections of keys have heads: others are read just as fast.
 *
 *     a head   number of keys that are not zero; the total of all keys, a column of one row; how
 *              many keys follow; a section of these keys; the distances between their ordinals in
 *              the segment, less one, in frames; a column of their values
 *
 * Meters that are not counters have no heads: what remains of a maximum or a mean cannot be
 * calculated from a total.
 */

/** Maximum number of keys in the head of a whole segment: also enough for windows near it. */
export const SPAN_HEAD_KEYS = 384;

/** Maximum number of keys in the head of a tile: more than most toppers list. */
export const TILE_HEAD_KEYS = 128;

/** Only more keys than this have a head. */
export const HEADS_FROM = SECTION_KEYS;

/** The largest keys of a segment or a tile. */
export type StoredHead = {
  /** Number of keys whose reading is not zero (decision 24). */
  readonly keyCount: number;
  /** The sum of all keys. */
  readonly total: bigint;
  /** The largest of these keys, ascending; of equal ones the smaller. */
  readonly keys: KeyList;
  /** Their ordinals in the segment. */
  readonly ordinals: Uint32Array;
  /** Their values, in the order of the keys. */
  readonly values: Lanes;
};

/** A key of a head. */
type Candidate = {
  readonly ordinal: number;
  readonly key: Uint8Array;
  /** The value; rounded if it is wide. */
  readonly approx: number;
  readonly value: number | bigint;
};

/** The readings of some keys of a segment, one row per key. */
type HeadRows = {
  readonly keys: KeyList;
  /** Ordinals in `keys`, by row, ascending; null: each key has a row. */
  readonly ordinals: Uint32Array | null;
  /** The ordinal of the first of `keys` in the segment. */
  readonly firstOrdinal: number;
  readonly column: Column;
};

/** Finds the largest keys of a segment or a tile while its ranges are written. */
export class HeadCollector {
  keyCount = 0;
  #total = 0n;
  readonly #limit: number;
  #candidates: Candidate[] = [];

  constructor(limit: number) {
    this.#limit = limit;
  }

  /** Adds the readings of a counter in the next range. */
  add({ keys, ordinals, firstOrdinal, column: { values } }: HeadRows): void {
    const counted = countedRows(values);
    this.keyCount += counted.length;
    this.#total += totalOf(values, counted);
    const rows = largestRows(values, counted, this.#limit, this.#least);
    if (rows.length === 0) return;
    for (const row of rows) {
      const ordinal = ordinals === null ? row : (ordinals[row] as number);
      const isWide = values.high !== null;
      this.#candidates.push({
        ordinal: firstOrdinal + ordinal,
        key: keyAt(keys, ordinal).slice(),
        approx: approximate(values, row),
        value: isWide ? laneValue(values, row) : (values.low[row] as number),
      });
    }
    this.#prune();
  }

  #prune(): void {
    this.#candidates.sort(compareCandidates);
    this.#candidates.length = Math.min(this.#limit, this.#candidates.length);
  }

  /** Keys of later ranges with smaller values are not among the largest. */
  get #least(): number {
    const last = this.#candidates[this.#limit - 1];
    return last ? last.approx : Number.NEGATIVE_INFINITY;
  }

  /** Returns the head; null if no key has a reading other than zero. */
  finish(): StoredHead | null {
    if (this.keyCount === 0) return null;
    this.#prune();
    const largest = this.#candidates.toSorted((a, b) => a.ordinal - b.ordinal);
    const keys = new KeyListBuilder({ keys: largest.length, bytes: 0 });
    for (const { key } of largest) keys.add(key);
    return {
      keyCount: this.keyCount,
      total: this.#total,
      keys: keys.finish(),
      ordinals: Uint32Array.from(largest, ({ ordinal }) => ordinal),
      values: lanesOf(largest.map(({ value }) => value)),
    };
  }
}

/** Whether a meter has heads. */
export const hasHead = (aggregate: Aggregate | null): boolean =>
  aggregate !== null && isCounting(aggregate);

/** Largest first; of equal ones the smaller key. */
const compareCandidates = (a: Candidate, b: Candidate): number =>
  b.approx - a.approx || compareExactly(b.value, a.value) || a.ordinal - b.ordinal;

function compareExactly(a: number | bigint, b: number | bigint): number {
  if (typeof a === 'number' && typeof b === 'number') return a - b;
  const difference = BigInt(a) - BigInt(b);
  return difference > 0n ? 1 : difference < 0n ? -1 : 0;
}

function lanesOf(values: readonly (number | bigint)[]): Lanes {
  const isNarrow = values.every((value) => Math.abs(Number(value)) < NARROW_BOUND);
  if (isNarrow) {
    const narrow = narrowLanes(values.length);
    for (const [row, value] of values.entries()) narrow.low[row] = Number(value);
    return narrow;
  }
  const wide = wideLanes(values.length);
  for (const [row, value] of values.entries()) setWide(wide, row, BigInt(value));
  return wide;
}

/** Returns the rows that have a reading other than zero. */
function countedRows({ low, high }: Lanes): Uint32Array {
  const rows = new Uint32Array(low.length);
  let length = 0;
  for (let row = 0; row < low.length; row += 1) {
    rows[length] = row;
    const isZero = low[row] === 0 && (high === null || high[row] === 0);
    length += isZero || Number.isNaN(low[row]) ? 0 : 1;
  }
  return rows.subarray(0, length);
}

/** Returns the `limit` largest of some rows, without those that are below `least`. */
function largestRows(values: Lanes, rows: Uint32Array, limit: number, least: number): Uint32Array {
  const near = new Uint32Array(rows.length);
  const approx = new Float64Array(rows.length);
  let count = 0;
  for (let i = 0; i < rows.length; i += 1) {
    const row = rows[i] as number;
    const value = approximate(values, row);
    near[count] = row;
    approx[count] = value;
    count += value >= least ? 1 : 0;
  }
  if (count <= limit) return near.subarray(0, count);
  // Rounding preserves the order, so no row below this is among the largest.
  const cut = kthLargest(approx, count, limit);
  const largest: number[] = [];
  for (let i = 0; i < count; i += 1) {
    if ((approx[i] as number) >= cut) largest.push(near[i] as number);
  }
  if (largest.length > limit) largest.sort((a, b) => compareValues(values, b, a) || a - b);
  return Uint32Array.from(largest.slice(0, limit));
}

const compareValues = ({ low, high }: Lanes, a: number, b: number): number =>
  (high === null
    ? 0
    : (high[a] as number) +
      Math.floor((low[a] as number) / HIGH_UNIT) -
      (high[b] as number) -
      Math.floor((low[b] as number) / HIGH_UNIT)) || (low[a] as number) - (low[b] as number);

function totalOf(values: Lanes, rows: Uint32Array): bigint {
  let narrow = 0;
  let wide = 0n;
  for (let i = 0; i < rows.length; i += 1) {
    const row = rows[i] as number;
    const value = values.high === null ? (values.low[row] as number) : Number.NaN;
    const sum = narrow + value;
    if (sum < NARROW_BOUND) narrow = sum;
    else wide += laneValue(values, row);
  }
  return wide + BigInt(narrow);
}

export function writeHead(
  { keyCount, total, keys, ordinals, values }: StoredHead,
  codec: KeyCodec,
): Uint8Array {
  const out = new ByteWriter();
  out.varint(keyCount);
  writeColumn(out, { values: lanesOf([total]), counts: null }, { from: 0, to: 1 });
  out.varint(keys.count);
  writeKeySection(out, keys, 0, keys.count, codec);
  writeFrames(
    out,
    ordinals.map((ordinal, i) => ordinal - (i === 0 ? 0 : (ordinals[i - 1] as number) + 1)),
  );
  writeColumn(out, { values, counts: null }, { from: 0, to: keys.count });
  return out.take();
}

/** Reads a head. Errors: DamagedSegment. */
export const readHead = (section: Uint8Array, codec: KeyCodec): StoredHead =>
  readWhole(section, (reader) => {
    const keyCount = reader.varint();
    const total = laneValue(readValues(reader, 1), 0);
    const count = reader.varint();
    if (count === 0 || count > Math.min(keyCount, SPAN_HEAD_KEYS)) {
      throw new DamagedSegment(`a head has ${count} of ${keyCount} keys`);
    }
    const keys = new KeyListBuilder({ keys: count, bytes: 0 });
    readKeySection(reader, codec, count, keys);
    const ordinals = new Uint32Array(count);
    readFrames(reader, count, ordinals);
    for (let i = 1; i < count; i += 1) {
      ordinals[i] = (ordinals[i] as number) + (ordinals[i - 1] as number) + 1;
    }
    const values = readValues(reader, count);
    if (countedRows(values).length < count) {
      throw new DamagedSegment('a head has a key without a value');
    }
    return { keyCount, total, keys: keys.finish(), ordinals, values };
  });

function readValues(reader: ByteReader, count: number): Lanes {
  const { values, counts } = readColumn(reader, count);
  if (counts !== null || values.low.some(Number.isNaN)) {
    throw new DamagedSegment('the numbers of a head are not those of a counter');
  }
  return values;
}

/** The keys of a head, largest first; of equal ones the smaller first. */
export type RankedHead = {
  readonly keyCount: number;
  readonly total: bigint;
  /** Key i has the bytes from `ends[i - 1]` (0 for the first) to before `ends[i]`. */
  readonly bytes: Uint8Array;
  readonly ends: Uint32Array;
  readonly ordinals: Uint32Array;
  readonly values: Lanes;
};

/** Orders a head. Copies the keys. */
export function rankHead({ keyCount, total, keys, ordinals, values }: StoredHead): RankedHead {
  const ranks = Uint32Array.from({ length: keys.count }, (_, row) => row);
  ranks.sort((a, b) => compareValues(values, b, a) || a - b);
  const ranked = new KeyListBuilder({ keys: keys.count, bytes: keys.bytes.length });
  for (const row of ranks) ranked.add(keyAt(keys, row));
  const { bytes, ends } = ranked.finish();
  return {
    keyCount,
    total,
    bytes: bytes.slice(0, ends[ends.length - 1]),
    ends,
    ordinals: ranks.map((row) => ordinals[row] as number),
    values: lanesOf(Array.from(ranks, (row) => laneValue(values, row))),
  };
}

/** Returns the bytes of a key of a head. */
export const rankedKeyAt = ({ bytes, ends }: RankedHead, rank: number): Uint8Array =>
  bytes.subarray(rank === 0 ? 0 : ends[rank - 1], ends[rank]);
