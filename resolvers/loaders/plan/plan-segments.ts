import { isCounting } from '../../../domain/meter-type.ts';
import type { StoredSegment } from '../../../store/read/manifest.ts';
import type { Cover } from '../../../topk/cover.ts';
import { coverSegment, type SegmentBlocks } from '../../../topk/cover-segment.ts';
import type { MeterRead } from './meter-read.ts';

/** A segment, and its blocks that hold exactly the buckets of a read's interval. */
export type SegmentPart = { readonly segment: StoredSegment; readonly cover: Cover };

/** Whether a segment is of the read's group and probe and has buckets in its interval. */
export function isOfRead(
  { groupId, probeId, firstBucket, lastBucket }: StoredSegment,
  read: MeterRead,
): boolean {
  if (groupId !== read.groupId) return false;
  if (read.probeId !== null && probeId !== read.probeId) return false;
  return lastBucket >= read.interval.from && firstBucket < read.interval.to;
}

/** What a segment has blocks of; all of its ranges have the same levels. */
export function blocksOf(segment: StoredSegment, { bucketSeconds }: MeterRead): SegmentBlocks {
  const { span, ranges } = segment.directory();
  const levels = (ranges[0]?.levels ?? []).map(({ stepSeconds }) => stepSeconds).toReversed();
  return { span, bucketSeconds, levels };
}

/** The segments of a read's group and probe that have buckets in its interval. */
export function planSegments(segments: Iterable<StoredSegment>, read: MeterRead): SegmentPart[] {
  const parts: SegmentPart[] = [];
  for (const segment of segments) {
    if (!isOfRead(segment, read)) continue;
    const cover = coverSegment(read.interval, blocksOf(segment, read), isCounting(read.fold));
    if (cover.runs.length > 0) parts.push({ segment, cover });
  }
  return parts;
}
