/** The lengths of a group's buckets. */
export type BucketSizes = { readonly bucketSize: number; readonly topperBucketSize: number };

const MINUTE = 60;
const HOUR = 3600;
const DAY = 86_400;

/** Lengths in seconds that divide hours, days or weeks. */
export const USUAL_LENGTHS: readonly number[] = [
  ...[1, 2, 5, 10, 15, 20, 30].map((count) => count * MINUTE),
  ...[1, 2, 3, 4, 6, 8, 12].map((count) => count * HOUR),
  ...[1, 2, 7, 14, 28, 91, 364].map((count) => count * DAY),
];

/** About one point per two pixels of a wide chart; the server's own limit is 10,000. */
const POINTS = 400;

/** Up to this length, a window has few enough buckets to show each one. */
const FINE_SECONDS = 2 * HOUR;

const LENGTHS: readonly number[] = [1, 2, 5, 10, 15, 20, 30, ...USUAL_LENGTHS];

/** Returns the seconds between the points of a chart; null: the group's topper bucket. */
export function chooseStep(windowSeconds: number, sizes: BucketSizes | null): number | null {
  if (!sizes) return null;
  const { bucketSize, topperBucketSize } = sizes;
  if (windowSeconds <= FINE_SECONDS && bucketSize < topperBucketSize) return bucketSize;
  const shortest = topperBucketSize * Math.ceil(windowSeconds / (topperBucketSize * POINTS));
  if (shortest <= topperBucketSize) return null;
  const usual = LENGTHS.find((each) => each >= shortest && each % topperBucketSize === 0);
  // Unusual buckets have few multiples among the usual lengths, or none.
  return usual && usual <= 3 * shortest ? usual : shortest;
}
