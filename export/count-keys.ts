import type { CopySource } from '../db/session/copy-source.ts';
import type { KeyCodec } from '../segments/keys/key-codec.ts';
import { type KeyList, keyAt } from '../segments/keys/key-list.ts';
import { KeyListBuilder } from '../segments/keys/key-list-builder.ts';
import { mergeRanges } from '../segments/merge/merge-ranges.ts';
import type { KeyRange } from '../segments/readings/key-range.ts';
import { keyRows, type Readings } from '../segments/readings/readings.ts';
import type { SegmentShape } from '../segments/shape.ts';
import type { StoredSegment } from '../store/read/manifest.ts';
import { segmentKeys, segmentRanges } from '../store/read/segment-ranges.ts';

export type KeysToCount = {
  readonly source: CopySource;
  /** Segments of a single group. */
  readonly segments: readonly StoredSegment[];
  readonly shape: SegmentShape;
  readonly codec: KeyCodec;
  /** Count only keys with a reading in a bucket that starts in [from, to). */
  readonly from: number;
  readonly to: number;
};

/**
 * Returns the number of distinct keys in the segments. The dictionaries are merged the way segments
 * are, with one range of keys per segment in memory. Readings are read only for segments that lie
 * partly outside the window.
 */
export async function countGroupKeys(wanted: KeysToCount): Promise<number> {
  const { segments, shape } = wanted;
  const streams = segments.map((segment) => keysOf(segment, wanted));
  let count = 0;
  for await (const { keys } of mergeRanges(streams, { ...shape, aggregates: [] }))
    count += keys.count;
  return count;
}

async function* keysOf(
  segment: StoredSegment,
  { source, shape, codec, from, to }: KeysToCount,
): AsyncGenerator<KeyRange> {
  if (segment.firstBucket >= from && segment.lastBucket < to) {
    for await (const keys of segmentKeys(source, segment, codec)) {
      yield withoutReadings(keys);
    }
    return;
  }
  for await (const range of segmentRanges(source, segment, { shape, codec })) {
    const within = keysWithin(range, from, to);
    if (within.keys.count > 0) yield within;
  }
}

function keysWithin({ keys, readings }: KeyRange, from: number, to: number): KeyRange {
  const within = new KeyListBuilder({ keys: 0, bytes: 0 });
  for (let key = 0; key < keys.count; key += 1) {
    if (hasRowWithin(readings, key, { from, to })) within.add(keyAt(keys, key));
  }
  return withoutReadings(within.finish());
}

function hasRowWithin(readings: Readings, key: number, { from, to }: HalfOpen): boolean {
  const rows = keyRows(readings, key);
  const starts = readings.starts.subarray(rows.from, rows.to);
  return starts.some((start) => start >= from && start < to);
}

type HalfOpen = Pick<KeysToCount, 'from' | 'to'>;

const withoutReadings = (keys: KeyList): KeyRange => ({
  keys,
  readings: {
    keyCount: keys.count,
    ends: new Uint32Array(keys.count),
    starts: new Float64Array(0),
    columns: [],
  },
});
