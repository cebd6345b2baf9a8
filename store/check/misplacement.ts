import type { SegmentSlice } from '../../db/sql/manifest.ts';
import type { StoredSegment } from '../read/manifest.ts';

/** Returns why a live segment should not be in its slice, in words; null if it should be. */
export function misplacement(
  { sliceId, firstBucket, lastBucket }: StoredSegment,
  slices: ReadonlyMap<number, SegmentSlice>,
): string | null {
  const slice = slices.get(sliceId);
  if (!slice) return 'it is in use, but its slice is not there';
  if (slice.archived) return 'it is in use, but its slice is archived';
  if (firstBucket >= slice.startsAt && lastBucket < slice.endsAt) return null;
  return 'it has readings of another time than its slice';
}

/** Returns whether a live segment was left behind: its slice was dropped or archived. */
export function isLeftOver(
  { sliceId }: StoredSegment,
  slices: ReadonlyMap<number, SegmentSlice>,
): boolean {
  const slice = slices.get(sliceId);
  return !slice || (slice.archived && slice.hasArchive);
}
