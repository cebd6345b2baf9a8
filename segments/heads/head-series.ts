import { floorTo } from '../../domain/time/interval.ts';
import { kthLargest } from '../../domain/toppers/kth-largest.ts';
import { ByteWriter } from '../codes/bytes.ts';
import { type Column, pickRows } from '../codes/column.ts';
import { readColumn, writeColumn } from '../codes/column-code.ts';
import { readFrames, requireFrames, writeFrames } from '../codes/frames.ts';
import { approximate } from '../codes/lanes.ts';
import { DamagedSegment } from '../damaged-segment.ts';
import type { KeyCodec } from '../keys/key-codec.ts';
import { type KeyList, keyAt } from '../keys/key-list.ts';
import { KeyListBuilder } from '../keys/key-list-builder.ts';
import { readKeySection, writeKeySection } from '../keys/key-section.ts';
import { joinColumns } from '../readings/join-columns.ts';
import { keyRows, type Readings } from '../readings/readings.ts';
import type { SegmentShape } from '../shape.ts';
import type { BucketSpan } from '../span.ts';
import { readWhole } from '../tiles/read-whole.ts';
import { hasHead } from './head.ts';

/*
 * The series of a segment's largest keys, by topper bucket: what percentiles and curves of a topper
 * need, side by side, instead of once in each tile.
 *
 *     keys      how many, and a section of them
 *     entries   in frames, the number of entries of each key; in frames, the topper bucket of each
 *               entry, as the distance from the key's previous one, less one
 *     a meter   a column of its readings
 */

/** Maximum number of keys for each counter. */
const SERIES_KEYS = 128;

/** Maximum number of these keys × topper buckets, so that long segments are written in memory. */
const SERIES_ENTRIES = 65_536;

/** Keys, their readings by topper bucket, and the start of the segment's first topper bucket. */
export type HeadSeries = { readonly keys: KeyList; readonly series: Series };

/** Readings by key, then by topper bucket. */
export type Series = {
  /** The entries of key i end at ends[i]. */
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

type Candidate = {
  readonly ordinal: number;
  readonly approx: number;
  readonly key: Uint8Array;
  readonly starts: Float64Array;
  readonly columns: readonly (Column | null)[];
};

/** A range of keys. byTopperBucket: its readings by topper bucket. totals: by key, one row each. */
type SeriesRange = {
  readonly keys: KeyList;
  readonly firstOrdinal: number;
  readonly byTopperBucket: Readings;
  readonly totals: readonly (Column | null)[];
};

/** Finds the series of the largest keys while the ranges of a segment are written. */
export class SeriesCollector {
  readonly #shape: SegmentShape;
  readonly #span: BucketSpan;
  readonly #limit: number;
  readonly #candidates: Candidate[][];

  constructor(shape: SegmentShape, span: BucketSpan) {
    this.#shape = shape;
    this.#span = span;
    const { count } = topperBuckets(span, shape.topperBucketSeconds);
    this.#limit = count === 1 ? 0 : Math.min(SERIES_KEYS, Math.floor(SERIES_ENTRIES / count));
    this.#candidates = shape.aggregates.map(() => []);
  }

  add(range: SeriesRange): void {
    if (this.#limit === 0) return;
    const made = new Map<number, Candidate>();
    for (const [meterIndex, aggregate] of this.#shape.aggregates.entries()) {
      const column = range.totals[meterIndex];
      const candidates = this.#candidates[meterIndex] as Candidate[];
      if (!hasHead(aggregate) || !column) continue;
      const approx = column.values.low.map((_, key) => numberOf(column, key));
      const cut = Math.max(kthLargest(approx, approx.length, this.#limit), this.#least(candidates));
      let taken = 0;
      for (let key = 0; key < approx.length && taken < 2 * this.#limit; key += 1) {
        if (!((approx[key] as number) >= cut) || approx[key] === 0) continue;
        taken += 1;
        const { starts, columns } = made.get(key) ?? candidateOf(range, key);
        const candidate = {
          ordinal: range.firstOrdinal + key,
          approx: approx[key] as number,
          key: keyAt(range.keys, key).slice(),
          starts,
          columns,
        };
        made.set(key, candidate);
        candidates.push(candidate);
      }
      if (candidates.length > 2 * this.#limit) prune(candidates, this.#limit);
    }
  }

  /** Returns the value below which no further key can be among the largest. */
  #least(candidates: readonly Candidate[]): number {
    return candidates.length < this.#limit
      ? Number.NEGATIVE_INFINITY
      : (candidates.map(({ approx }) => approx).sort((a, b) => b - a)[this.#limit - 1] as number);
  }

  /** Returns the series; null if there are none. */
  finish(): HeadSeries | null {
    const byOrdinal = new Map<number, Candidate>();
    for (const candidates of this.#candidates) {
      prune(candidates, this.#limit);
      for (const candidate of candidates) byOrdinal.set(candidate.ordinal, candidate);
    }
    const found = [...byOrdinal.values()].sort((a, b) => a.ordinal - b.ordinal);
    if (found.length === 0) return null;
    const keys = new KeyListBuilder({ keys: found.length, bytes: 0 });
    for (const { key } of found) keys.add(key);
    const lengths = found.map(({ starts }) => starts.length);
    const columns = this.#shape.aggregates.map((_, meterIndex) =>
      joinColumns(
        found.map((each) => each.columns[meterIndex] ?? null),
        lengths,
      ),
    );
    return { keys: keys.finish(), series: { ...this.#entriesOf(found, lengths), columns } };
  }

  #entriesOf(found: readonly Candidate[], lengths: readonly number[]) {
    const { topperBucketSeconds } = this.#shape;
    const { origin } = topperBuckets(this.#span, topperBucketSeconds);
    const ends = new Uint32Array(found.length);
    let end = 0;
    for (const [i, length] of lengths.entries()) {
      end += length;
      ends[i] = end;
    }
    const bucketIndexes = new Uint32Array(end);
    let to = 0;
    for (const { starts } of found) {
      for (const start of starts) {
        bucketIndexes[to] = (start - origin) / topperBucketSeconds;
        to += 1;
      }
    }
    return { ends, bucketIndexes };
  }
}

const numberOf = ({ values }: Column, row: number): number => {
  const value = approximate(values, row);
  return Number.isNaN(value) ? 0 : value;
};

function candidateOf({ byTopperBucket }: SeriesRange, key: number) {
  const { from, to } = keyRows(byTopperBucket, key);
  const rows = Uint32Array.from({ length: to - from }, (_, i) => from + i);
  return {
    starts: byTopperBucket.starts.slice(from, to),
    columns: byTopperBucket.columns.map((column) => column && pickRows(column, rows)),
  };
}

function prune(candidates: Candidate[], limit: number): void {
  candidates.sort((a, b) => b.approx - a.approx || a.ordinal - b.ordinal);
  candidates.length = Math.min(limit, candidates.length);
}

export function writeHeadSeriesKeys({ keys }: HeadSeries, codec: KeyCodec): Uint8Array {
  const out = new ByteWriter();
  out.varint(keys.count);
  writeKeySection(out, keys, 0, keys.count, codec);
  return out.take();
}

export function writeHeadSeriesEntries({
  series: { ends, bucketIndexes },
}: HeadSeries): Uint8Array {
  const out = new ByteWriter();
  const counts = ends.map((end, key) => end - (key === 0 ? 0 : (ends[key - 1] as number)));
  const steps = new Uint32Array(bucketIndexes.length);
  let at = 0;
  for (const end of ends) {
    let before = -1;
    for (; at < end; at += 1) {
      const bucketIndex = bucketIndexes[at] as number;
      steps[at] = bucketIndex - before - 1;
      before = bucketIndex;
    }
  }
  writeFrames(out, counts);
  writeFrames(out, steps);
  return out.take();
}

/** Returns null if no entry has a reading of the meter. */
export function writeHeadSeriesColumn(
  { series: { columns, bucketIndexes } }: HeadSeries,
  meterIndex: number,
): Uint8Array | null {
  const column = columns[meterIndex];
  const out = new ByteWriter();
  return column && writeColumn(out, column, { from: 0, to: bucketIndexes.length })
    ? out.take()
    : null;
}

/** Reads the keys that have a series. Errors: DamagedSegment. */
export const readHeadSeriesKeys = (section: Uint8Array, codec: KeyCodec): KeyList =>
  readWhole(section, (reader) => {
    const count = reader.varint();
    const keys = new KeyListBuilder({ keys: 0, bytes: 0 });
    readKeySection(reader, codec, count, keys);
    return keys.finish();
  });

export type SeriesEntries = Pick<Series, 'ends' | 'bucketIndexes'>;

/** Upper bounds of what series may claim to have. */
type SeriesSize = { readonly keyCount: number; readonly topperBuckets: number };

/** Reads the entries of all keys. Errors: DamagedSegment. */
export const readHeadSeriesEntries = (section: Uint8Array, size: SeriesSize): SeriesEntries =>
  readWhole(section, (reader) => {
    const ends = new Uint32Array(size.keyCount);
    requireFrames(reader, size.keyCount);
    readFrames(reader, size.keyCount, ends);
    let count = 0;
    for (let key = 0; key < ends.length; key += 1) {
      const own = ends[key] as number;
      if (own > size.topperBuckets) throw new DamagedSegment('a series is longer than its span');
      count += own;
      ends[key] = count;
    }
    requireFrames(reader, count);
    const bucketIndexes = new Uint32Array(count);
    readFrames(reader, count, bucketIndexes);
    let at = 0;
    for (const end of ends) {
      let bucketIndex = -1;
      for (; at < end; at += 1) {
        bucketIndex += (bucketIndexes[at] as number) + 1;
        bucketIndexes[at] = bucketIndex;
      }
      if (bucketIndex >= size.topperBuckets) {
        throw new DamagedSegment('a series is longer than its span');
      }
    }
    return { ends, bucketIndexes };
  });

/** Reads a meter's readings, by entry. Errors: DamagedSegment. */
export const readHeadSeriesColumn = (section: Uint8Array, entries: number): Column =>
  readWhole(section, (reader) => readColumn(reader, entries));
