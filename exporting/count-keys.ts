import type { CopySource } from '../db/session/copy-source.ts';
import type { KeyCodec } from '../segments/keys/key-codec.ts';
import { keyAt } from '../segments/keys/key-list.ts';
import { KeyListBuilder } from '../segments/keys/key-list-builder.ts';
import { mergeRanges } from '../segments/merge/merge-ranges.ts';
import type { KeyRange } from '../segments/readings/key-range.ts';
import { bucketRows, type Readings } from '../segments/readings/readings.ts';
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
export async function countKeys({ shape, ...wanted }: KeysToCount): Promise<number> {
  const streams = wanted.segments.map((segment) => keysOf(segment, wanted));
  let count = 0;
  for await (const { keys } of mergeRanges(streams, { ...shape, folds: [] })) count += keys.count;
  return count;
}

async function* keysOf(
  segment: StoredSegment,
  { source, codec, from, to }: Omit<KeysToCount, 'shape'>,
): AsyncGenerator<KeyRange> {
  if (segment.firstBucket >= from && segment.lastBucket < to) {
    for await (const keys of segmentKeys(source, segment, codec)) {
      yield { keys, readings: { ...NO_READINGS, keyCount: keys.count } };
    }
    return;
  }
  for await (const range of segmentRanges(source, segment, codec)) {
    const within = keysWithin(range, from, to);
    if (within.keys.count > 0) yield within;
  }
}

const NO_READINGS: Readings = {
  keyCount: 0,
  starts: new Float64Array(0),
  ends: new Uint32Array(0),
  ordinals: new Uint32Array(0),
  columns: [],
};

function keysWithin({ keys, readings }: KeyRange, from: number, to: number): KeyRange {
  const marks = new Uint8Array(keys.count);
  for (const [i, start] of readings.starts.entries()) {
    if (start < from || start >= to) continue;
    const rows = bucketRows(readings, i);
    for (let row = rows.from; row < rows.to; row += 1) marks[readings.ordinals[row] as number] = 1;
  }
  const within = new KeyListBuilder({ keys: 0, bytes: 0 });
  for (let key = 0; key < keys.count; key += 1) if (marks[key] === 1) within.add(keyAt(keys, key));
  const list = within.finish();
  return { keys: list, readings: { ...NO_READINGS, keyCount: list.count } };
}
