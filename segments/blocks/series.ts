import { floorTo } from '../../domain/time/interval.ts';
import { ByteReader, ByteWriter } from '../codes/bytes.ts';
import { type Column, pickRows } from '../codes/column.ts';
import { readColumn, writeColumn } from '../codes/column-code.ts';
import { readFrames, requireFrames, writeFrames } from '../codes/frames.ts';
import { DamagedSegment } from '../damaged-segment.ts';
import type { Readings } from '../readings/readings.ts';
import type { SegmentShape } from '../shape.ts';
import type { BucketSpan } from './levels.ts';

/**
 * The readings of a range of keys, transposed: ordered by ordinal, then by topper bucket. Every key
 * has an entry.
 */
export type Series = {
  /** The entries of the key with ordinal i end at ends[i]. */
  readonly ends: Uint32Array;
  /** By entry: its topper bucket, counted from that of the span's first bucket. */
  readonly bucketIndexes: Uint32Array;
  readonly columns: readonly (Column | null)[];
};

/** Returns the start of a segment's first topper bucket, and the number of its topper buckets. */
export const topperBuckets = (
  { first, last }: BucketSpan,
  topperBucketSeconds: number,
): { origin: number; count: number } => {
  const origin = floorTo(first, topperBucketSeconds);
  const end = floorTo(last, topperBucketSeconds);
  return { origin, count: (end - origin) / topperBucketSeconds + 1 };
};

/**
 * Transposes readings of topper buckets by counting sort, which keeps the readings of each key in
 * time order.
 */
export function seriesOf(readings: Readings, shape: SegmentShape, span: BucketSpan): Series {
  const { topperBucketSeconds } = shape;
  const { origin } = topperBuckets(span, topperBucketSeconds);
  const { keyCount, starts, ends, ordinals, columns } = readings;
  const next = new Uint32Array(keyCount + 1);
  for (const ordinal of ordinals) next[ordinal + 1] = (next[ordinal + 1] as number) + 1;
  for (let key = 0; key < keyCount; key += 1) {
    next[key + 1] = (next[key + 1] as number) + (next[key] as number);
  }
  const rows = new Uint32Array(ordinals.length);
  const bucketIndexes = new Uint32Array(ordinals.length);
  let row = 0;
  for (let bucket = 0; bucket < starts.length; bucket += 1) {
    const bucketIndex = ((starts[bucket] as number) - origin) / topperBucketSeconds;
    for (; row < (ends[bucket] as number); row += 1) {
      const ordinal = ordinals[row] as number;
      const at = next[ordinal] as number;
      next[ordinal] = at + 1;
      rows[at] = row;
      bucketIndexes[at] = bucketIndex;
    }
  }
  return {
    ends: next.subarray(0, keyCount),
    bucketIndexes,
    columns: columns.map((column) => column && pickRows(column, rows)),
  };
}

/** Maximum number of entries in a chunk, unless a single key has more. */
const CHUNK_ENTRIES = 768;

/** Consecutive ordinals, from `from` to before `to`. */
type OrdinalRange = { readonly from: number; readonly to: number };

/**
 * Divides the keys into chunks whose series are stored together. A reader of one key's series reads
 * the whole chunk.
 */
export function seriesChunks({ ends }: Series): OrdinalRange[] {
  const chunks: OrdinalRange[] = [];
  let from = 0;
  let first = 0;
  for (let key = 0; key < ends.length; key += 1) {
    if (key > from && (ends[key] as number) - first > CHUNK_ENTRIES) {
      chunks.push({ from, to: key });
      from = key;
      first = ends[key - 1] as number;
    }
  }
  if (ends.length > from) chunks.push({ from, to: ends.length });
  return chunks;
}

const entriesOf = ({ ends }: Series, { from, to }: OrdinalRange): OrdinalRange => ({
  from: from === 0 ? 0 : (ends[from - 1] as number),
  to: ends[to - 1] as number,
});

/*
 * Writes the entries of a chunk: their number; in frames, the number of entries of each key; in
 * frames, the topper bucket of each entry, as the distance from the key's previous entry.
 */
export function writeSeriesEntries(series: Series, keys: OrdinalRange): Uint8Array {
  const { from, to } = entriesOf(series, keys);
  const out = new ByteWriter();
  const counts = new Uint32Array(keys.to - keys.from);
  const steps = new Uint32Array(to - from);
  let at = from;
  for (let key = keys.from; key < keys.to; key += 1) {
    const end = series.ends[key] as number;
    counts[key - keys.from] = end - at;
    let before = -1;
    for (; at < end; at += 1) {
      const bucketIndex = series.bucketIndexes[at] as number;
      steps[at - from] = bucketIndex - before - 1;
      before = bucketIndex;
    }
  }
  out.varint(to - from);
  writeFrames(out, counts);
  writeFrames(out, steps);
  return out.take();
}

/** Writes a meter's column of a chunk. Null if no entry of the chunk has a reading of the meter. */
export function writeSeriesColumn(
  series: Series,
  keys: OrdinalRange,
  meterIndex: number,
): Uint8Array | null {
  const column = series.columns[meterIndex];
  if (!column) return null;
  const out = new ByteWriter();
  return writeColumn(out, column, entriesOf(series, keys)) ? out.take() : null;
}

export type SeriesEntries = Pick<Series, 'ends' | 'bucketIndexes'>;

/** Upper bound of the entries that a chunk may claim to have: keys × topper buckets, both known. */
type ChunkSize = { readonly keyCount: number; readonly topperBuckets: number };

/** Reads a chunk's entries. Errors: DamagedSegment. */
export function readSeriesEntries(section: Uint8Array, size: ChunkSize): SeriesEntries {
  const reader = new ByteReader(section);
  const count = reader.varint();
  if (count > size.keyCount * size.topperBuckets) {
    throw new DamagedSegment(`${size.keyCount} keys have ${count} readings in their series`);
  }
  requireFrames(reader, size.keyCount + count);
  const ends = new Uint32Array(size.keyCount);
  const bucketIndexes = new Uint32Array(count);
  readFrames(reader, size.keyCount, ends);
  readFrames(reader, count, bucketIndexes);
  if (reader.at !== section.length) throw new DamagedSegment('bytes are left over');
  let at = 0;
  for (let key = 0; key < ends.length; key += 1) {
    const end = at + (ends[key] as number);
    if (end > count) throw new DamagedSegment('keys have more entries than their chunk');
    let bucketIndex = -1;
    for (; at < end; at += 1) {
      bucketIndex += (bucketIndexes[at] as number) + 1;
      if (bucketIndex >= size.topperBuckets)
        throw new DamagedSegment('a series is longer than its span');
      bucketIndexes[at] = bucketIndex;
    }
    ends[key] = end;
  }
  if (at !== count) throw new DamagedSegment('a chunk has more entries than its keys');
  return { ends, bucketIndexes };
}

/** Reads a chunk's column. Errors: DamagedSegment. */
export function readSeriesColumn(section: Uint8Array, entries: number): Column {
  const reader = new ByteReader(section);
  const column = readColumn(reader, entries);
  if (reader.at !== section.length) throw new DamagedSegment('bytes are left over');
  return column;
}
