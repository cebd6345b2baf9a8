import type { StoredSegment } from '../../store/read/manifest.ts';
import type { MeterRead } from './meter-read.ts';

/** Whether a segment is of the read's group and probe and has buckets in its interval. */
export function isOfRead(
  { groupId, probeId, firstBucket, lastBucket }: StoredSegment,
  read: MeterRead,
): boolean {
  if (groupId !== read.groupId) return false;
  if (read.probeId !== null && probeId !== read.probeId) return false;
  return lastBucket >= read.interval.from && firstBucket < read.interval.to;
}
