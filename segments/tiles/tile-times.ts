import { type ByteReader, ByteWriter } from '../codes/bytes.ts';
import { bitsOf, readFrames, requireFrames, writeFrames } from '../codes/frames.ts';
import { readHintedFrames, writeHintedFrames } from '../codes/hinted-frames.ts';
import { DamagedSegment } from '../damaged-segment.ts';
import { readWhole } from './read-whole.ts';
import type { TileReadings } from './tile-readings.ts';

/** The times of a tile's rows. */
export type TileTimes = Pick<TileReadings, 'ends' | 'buckets'>;

export function writeTileTimes({ ends, buckets }: TileTimes): Uint8Array {
  const out = new ByteWriter();
  let first = MAX_BUCKETS;
  let last = 0;
  for (let row = 0; row < buckets.length; row += 1) {
    const bucket = buckets[row] as number;
    if (bucket < first) first = bucket;
    if (bucket > last) last = bucket;
  }
  out.varint(first);
  out.varint(last - first);
  if (first === last) return out.take();
  const { bits, several, singles } = countsOf({ ends, buckets }, first);
  out.append(bits);
  writeFrames(out, several);
  writeFrames(out, singles);
  const { gaps, hints } = gapsOf({ ends, buckets }, { first, length: last - first + 1 });
  writeHintedFrames(out, gaps, hints);
  return out.take();
}

/** Which keys have several buckets, how many less two, and the buckets of the others. */
function countsOf({ ends, buckets }: TileTimes, first: number) {
  const bits = new Uint8Array(Math.ceil(ends.length / 8));
  const several: number[] = [];
  const singles: number[] = [];
  let from = 0;
  for (let key = 0; key < ends.length; key += 1) {
    const to = ends[key] as number;
    if (to - from === 1) singles.push((buckets[from] as number) - first);
    else {
      bits[key >> 3] = (bits[key >> 3] as number) | (1 << (key & 7));
      several.push(to - from - 2);
    }
    from = to;
  }
  return { bits, several: Uint32Array.from(several), singles: Uint32Array.from(singles) };
}

/** The first bucket of a tile that has a row, and the number of buckets until the last. */
type BucketRange = { readonly first: number; readonly length: number };

/** The distances between the buckets of keys that have several, less one, and their hints. */
function gapsOf({ ends, buckets }: TileTimes, { first, length }: BucketRange) {
  const gaps = new Uint32Array(buckets.length);
  const hints = new Uint8Array(buckets.length);
  let count = 0;
  let from = 0;
  for (const to of ends) {
    if (to - from > 1) {
      const hint = gapHint(length, to - from);
      let before = first - 1;
      for (let row = from; row < to; row += 1) {
        const bucket = buckets[row] as number;
        gaps[count] = bucket - before - 1;
        hints[count] = hint;
        count += 1;
        before = bucket;
      }
    }
    from = to;
  }
  return { gaps: gaps.subarray(0, count), hints: hints.subarray(0, count) };
}

/** Returns the bits of a gap between `rows` buckets that are evenly spread over `length`. */
const gapHint = (length: number, rows: number): number =>
  bitsOf(Math.floor(Math.max(0, length - rows) / rows));

/** Reads the times of a tile of `keyCount` keys. Errors: DamagedSegment. */
export function readTileTimes(section: Uint8Array, keyCount: number): TileTimes {
  return readWhole(section, (reader) => {
    const first = reader.varint();
    const length = reader.varint() + 1;
    if (first + length > MAX_BUCKETS) {
      throw new DamagedSegment(`a tile has bucket ${first + length - 1}`);
    }
    const ends = new Uint32Array(keyCount);
    if (length === 1) {
      for (let key = 0; key < keyCount; key += 1) ends[key] = key + 1;
      return { ends, buckets: new Uint16Array(keyCount).fill(first) };
    }
    const severalCount = readEnds(reader, ends, length);
    const rows = ends[keyCount - 1] ?? 0;
    requireFrames(reader, rows);
    const singles = new Uint16Array(keyCount - severalCount);
    readFrames(reader, singles.length, singles);
    const buckets = new Uint16Array(rows);
    const hints = new Uint8Array(rows - singles.length);
    fillHints(hints, ends, length);
    const gaps = new Float64Array(hints.length);
    readHintedFrames(reader, { hints, into: gaps });
    placeRows({ ends, buckets }, { singles, gaps }, { first, length });
    return { ends, buckets };
  });
}

/** More buckets than any tile has: a bucket fits into 16 bits. */
const MAX_BUCKETS = 65_536;

/** Fills the ends of the rows of each key. Returns the number of keys with several rows. */
function readEnds(reader: ByteReader, ends: Uint32Array, length: number): number {
  const bits = reader.at;
  reader.skip(Math.ceil(ends.length / 8));
  let several = 0;
  for (let key = 0; key < ends.length; key += 1) {
    const isSeveral = ((reader.bytes[bits + (key >> 3)] as number) >> (key & 7)) & 1;
    ends[key] = isSeveral;
    several += isSeveral;
  }
  const counts = new Uint32Array(several);
  readFrames(reader, several, counts);
  let end = 0;
  let index = 0;
  for (let key = 0; key < ends.length; key += 1) {
    if (ends[key] === 0) end += 1;
    else {
      const rows = (counts[index] as number) + 2;
      if (rows > length) throw new DamagedSegment(`a key has ${rows} of ${length} buckets`);
      end += rows;
      index += 1;
    }
    ends[key] = end;
  }
  return several;
}

function fillHints(hints: Uint8Array, ends: Uint32Array, length: number): void {
  let count = 0;
  let from = 0;
  for (let key = 0; key < ends.length; key += 1) {
    const to = ends[key] as number;
    const rows = to - from;
    if (rows > 1) {
      const hint = gapHint(length, rows);
      for (const end = count + rows; count < end; count += 1) hints[count] = hint;
    }
    from = to;
  }
}

type StoredTimes = { readonly singles: Uint16Array; readonly gaps: Float64Array };

function placeRows(
  { ends, buckets }: TileTimes,
  { singles, gaps }: StoredTimes,
  { first, length }: BucketRange,
): void {
  const end = first + length;
  let single = 0;
  let gap = 0;
  let from = 0;
  for (let key = 0; key < ends.length; key += 1) {
    const to = ends[key] as number;
    if (to - from === 1) {
      const bucket = first + (singles[single] as number);
      single += 1;
      if (bucket >= end) throw new DamagedSegment('a key has a bucket after the tile’s last');
      buckets[from] = bucket;
    } else {
      let bucket = first - 1;
      for (let row = from; row < to; row += 1) {
        bucket += (gaps[gap] as number) + 1;
        gap += 1;
        buckets[row] = bucket;
      }
      if (bucket >= end) throw new DamagedSegment('a key has a bucket after the tile’s last');
    }
    from = to;
  }
}
