import { ByteReader, ByteWriter } from '../segments/codes/bytes.ts';
import { isWide, type Lanes, setWide, type WideLanes } from '../segments/codes/lanes.ts';

/**
 * The stored form of blocks: a run is the blocks of one resolution, shard, group, probe and slice
 * that follow each other. Its bytes have a part for the keys and one for each slot, so that a read
 * fetches the keys and the one meter it wants:
 *
 *     part 0    number of blocks; for each its distance to the one before, in blocks, its number of
 *               keys, the bytes of its key ids, and these
 *     part s    for each block flags and, unless it has no readings of slot s, the bytes of its
 *               values, and these in the order of the keys
 *
 * Key ids ascend, so they are stored as steps, or as a bitmap where they are dense. Numbers are
 * LEB128: small ones, by far the most, take one to three bytes.
 */
export type PackedRun = {
  /** Starts of the first and the last block, epoch seconds. */
  readonly start: number;
  readonly last: number;
  /** Where each part ends in `data`: of the keys, then of slot 1, 2, … */
  readonly ends: readonly number[];
  readonly data: Uint8Array;
};

/** The readings of a slot by key; counts (of a mean) null when every reading stands for itself. */
export type BlockColumn = { readonly values: Lanes; readonly counts: Lanes | null };

/** A block of one shard: ascending key ids, and by slot − 1 their readings, or null for none. */
export type ShardBlock = {
  readonly start: number;
  readonly ids: Uint32Array;
  readonly columns: readonly (BlockColumn | null)[];
};

/** What a block's values begin with. */
export const FLAG = { some: 1, wide: 2, signed: 4, gaps: 8, counts: 16, wideCounts: 32 } as const;

const ID_STEPS = 0;
const ID_BITMAP = 1;

/** Beyond it the doubled number of a signed varint is not exact. */
const SIGNED_BOUND = 2 ** 52;

/** Packs blocks of `level` seconds, ascending by start; at least one. */
export function packRun(blocks: readonly ShardBlock[], level: number, slots: number): PackedRun {
  const out = new ByteWriter();
  const scratch = new ByteWriter();
  const [first] = blocks;
  if (!first) throw new Error('a run has at least one block');
  let before = first.start;
  out.varint(blocks.length);
  for (const { start, ids } of blocks) {
    writeIds(scratch, ids);
    out.varint((start - before) / level);
    out.varint(ids.length);
    out.varint(scratch.length);
    out.appendFrom(scratch);
    scratch.clear();
    before = start;
  }
  const ends = [out.length];
  for (let place = 0; place < slots; place += 1) {
    for (const { ids, columns } of blocks) {
      const column = columns[place] ?? null;
      const flags = column === null ? 0 : writeColumn(scratch, column, ids.length);
      out.byte(flags);
      if (flags !== 0) {
        out.varint(scratch.length);
        out.appendFrom(scratch);
      }
      scratch.clear();
    }
    ends.push(out.length);
  }
  return { start: first.start, last: before, ends, data: out.take() };
}

function writeIds(out: ByteWriter, ids: Uint32Array): void {
  const first = ids[0] ?? 0;
  const span = (ids.at(-1) ?? first) - first + 1;
  // A step takes a byte at least: where a bitmap takes less, it is a bitmap.
  if (span > ids.length * 8) {
    out.byte(ID_STEPS);
    let before = 0;
    for (const id of ids) {
      out.varint(id - before);
      before = id;
    }
    return;
  }
  const bits = new Uint8Array(Math.ceil(span / 8));
  for (const id of ids) {
    const bit = id - first;
    bits[bit >> 3] = (bits[bit >> 3] ?? 0) | (1 << (bit & 7));
  }
  out.byte(ID_BITMAP);
  out.varint(first);
  out.varint(bits.length);
  out.append(bits);
}

/** Writes bitmap, values and counts as the returned flags say; 0 when there is no reading. */
function writeColumn(out: ByteWriter, { values, counts }: BlockColumn, length: number): number {
  const { present, negative, widest } = survey(values, length);
  if (present === 0) return 0;
  const wide = isWide(values) || (negative && widest >= SIGNED_BOUND);
  let flags = FLAG.some | (wide ? FLAG.wide : negative ? FLAG.signed : 0);
  if (present < length) {
    flags |= FLAG.gaps;
    writeGaps(out, values, length);
  }
  writeLanes(out, values, length, flags);
  if (counts !== null && !allOnes(counts, values, length)) {
    flags |= FLAG.counts | (isWide(counts) ? FLAG.wideCounts : 0);
    for (let row = 0; row < length; row += 1) {
      if (Number.isNaN(values.low[row])) continue;
      if (isWide(counts)) writeWide(out, counts, row);
      else out.varint(counts.low[row] ?? 1);
    }
  }
  return flags;
}

function survey({ low, high }: Lanes, length: number) {
  let present = 0;
  let negative = false;
  let widest = 0;
  for (let row = 0; row < length; row += 1) {
    const value = low[row] ?? Number.NaN;
    if (Number.isNaN(value)) continue;
    present += 1;
    if (high !== null) continue;
    if (value < 0) negative = true;
    widest = Math.max(widest, Math.abs(value));
  }
  return { present, negative, widest };
}

function allOnes(counts: Lanes, values: Lanes, length: number): boolean {
  if (isWide(counts)) return false;
  for (let row = 0; row < length; row += 1) {
    if (!Number.isNaN(values.low[row]) && counts.low[row] !== 1) return false;
  }
  return true;
}

function writeGaps(out: ByteWriter, { low }: Lanes, length: number): void {
  const bits = new Uint8Array(Math.ceil(length / 8));
  for (let row = 0; row < length; row += 1) {
    if (!Number.isNaN(low[row])) bits[row >> 3] = (bits[row >> 3] ?? 0) | (1 << (row & 7));
  }
  out.append(bits);
}

function writeLanes(out: ByteWriter, values: Lanes, length: number, flags: number): void {
  const { low } = values;
  const wide = isWide(values) ? values : (flags & FLAG.wide) !== 0 ? widened(values) : null;
  for (let row = 0; row < length; row += 1) {
    const value = low[row] ?? Number.NaN;
    if (Number.isNaN(value)) continue;
    if (wide) writeWide(out, wide, row);
    else if ((flags & FLAG.signed) !== 0) out.signed(value);
    else out.varint(value);
  }
}

function writeWide(out: ByteWriter, { low, high }: WideLanes, row: number): void {
  out.signed(high[row] ?? 0);
  out.varint(low[row] ?? 0);
}

function widened({ low }: Lanes): WideLanes {
  const wide = { low: low.slice(), high: new Float64Array(low.length) };
  for (let row = 0; row < low.length; row += 1) {
    const value = low[row] ?? Number.NaN;
    if (!Number.isNaN(value)) setWide(wide, row, BigInt(value));
  }
  return wide;
}

/** Where a block's keys and values begin, read without unpacking them. */
export type BlockPlace = {
  readonly start: number;
  readonly keyCount: number;
  readonly idsAt: number;
};

export type ColumnPlace = { readonly flags: number; readonly at: number };

/** The blocks of a run, from its part 0. */
export function blockPlaces(part: Uint8Array, start: number, level: number): BlockPlace[] {
  const reader = new ByteReader(part);
  const places: BlockPlace[] = [];
  const count = reader.varint();
  let at = start;
  for (let i = 0; i < count; i += 1) {
    at += reader.varint() * level;
    const keyCount = reader.varint();
    const bytes = reader.varint();
    places.push({ start: at, keyCount, idsAt: reader.at });
    reader.skip(bytes);
  }
  return places;
}

/** By block, where its values begin in the part of a slot, which starts at `from`. */
export function columnPlaces(bytes: Uint8Array, from: number, blocks: number): ColumnPlace[] {
  const reader = new ByteReader(bytes, from);
  const places: ColumnPlace[] = [];
  for (let i = 0; i < blocks; i += 1) {
    const flags = reader.byte();
    const length = flags === 0 ? 0 : reader.varint();
    places.push({ flags, at: reader.at });
    reader.skip(length);
  }
  return places;
}

/** Unpacks the ids of `count` keys into `ids`, from row `to` on. */
export function readIds(
  part: Uint8Array,
  at: number,
  count: number,
  ids: Uint32Array,
  to: number,
): void {
  const reader = new ByteReader(part, at);
  if (reader.byte() === ID_BITMAP) {
    readBitmap(reader, ids, to);
    return;
  }
  let id = 0;
  for (let row = to; row < to + count; row += 1) {
    id += reader.varint();
    ids[row] = id;
  }
}

function readBitmap(reader: ByteReader, ids: Uint32Array, to: number): void {
  const first = reader.varint();
  const length = reader.varint();
  const { bytes, at } = reader;
  let row = to;
  for (let i = 0; i < length; i += 1) {
    const id = first + i * 8;
    for (let bits = bytes[at + i] ?? 0; bits !== 0; bits &= bits - 1) {
      ids[row] = id + 31 - Math.clz32(bits & -bits);
      row += 1;
    }
  }
}

/** Where unpacked numbers go: rows from `to` on. counts is there when the flags have counts. */
export type ColumnTarget = {
  readonly values: Lanes;
  readonly counts: Lanes | null;
  readonly to: number;
};

/** Unpacks the values of `count` keys; keys without a reading get NaN. */
export function readColumn(
  bytes: Uint8Array,
  { flags, at }: ColumnPlace,
  count: number,
  { values, counts, to }: ColumnTarget,
): void {
  const gaps = (flags & FLAG.gaps) !== 0;
  const reader = new ByteReader(bytes, at);
  if (gaps) reader.skip(Math.ceil(count / 8));
  const isThere = (row: number) =>
    !gaps || (((bytes[at + (row >> 3)] ?? 0) >> (row & 7)) & 1) === 1;
  if (flags === FLAG.some && values.high === null) readPlain(reader, count, values.low, to);
  else {
    for (let row = 0; row < count; row += 1) {
      if (isThere(row)) readNumber(reader, flags, FLAG.wide, values, to + row);
      else values.low[to + row] = Number.NaN;
    }
  }
  if (counts === null) return;
  for (let row = 0; row < count; row += 1) {
    if (!isThere(row)) counts.low[to + row] = 0;
    else if ((flags & FLAG.counts) === 0) counts.low[to + row] = 1;
    else readNumber(reader, flags & ~FLAG.signed, FLAG.wideCounts, counts, to + row);
  }
}

/** The common case, kept apart because most of the time goes into it. */
function readPlain(reader: ByteReader, count: number, low: Float64Array, to: number): void {
  const { bytes } = reader;
  let { at } = reader;
  for (let row = to; row < to + count; row += 1) {
    let byte = bytes[at] ?? 0;
    at += 1;
    let value = byte & 127;
    let scale = 128;
    while (byte >= 128) {
      byte = bytes[at] ?? 0;
      at += 1;
      value += (byte & 127) * scale;
      scale *= 128;
    }
    low[row] = value;
  }
  if (at > bytes.length) throw new RangeError('packed data end too early');
  reader.at = at;
}

function readNumber(
  reader: ByteReader,
  flags: number,
  wideFlag: number,
  into: Lanes,
  row: number,
): void {
  if ((flags & wideFlag) !== 0) {
    const high = reader.signed();
    if (into.high === null) throw new Error('wide numbers need wide lanes');
    into.high[row] = high;
    into.low[row] = reader.varint();
    return;
  }
  const value = (flags & FLAG.signed) !== 0 ? reader.signed() : reader.varint();
  if (into.high === null) into.low[row] = value;
  else setWide(into as WideLanes, row, BigInt(value));
}
