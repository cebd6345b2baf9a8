/** The lengths of a group's buckets. */
export type BucketSizes = { readonly bucketSize: number; readonly topperBucketSize: number };

/** About one point per two pixels of a wide chart; the server's own limit is 10,000. */
const POINTS = 400;

/** Up to this length, a window has few enough buckets to show each one. */
const FINE_SECONDS = 2 * 3600;

const MULTIPLES: readonly number[] = [1, 2, 3, 4, 6, 12, 24, 36, 48, 72, 96, 144, 288];

/** Returns the seconds between the points of a chart; null: the group's topper bucket. */
export function chooseStep(windowSeconds: number, sizes: BucketSizes | null): number | null {
  if (!sizes) return null;
  const { bucketSize, topperBucketSize } = sizes;
  if (windowSeconds <= FINE_SECONDS && bucketSize < topperBucketSize) return bucketSize;
  const fits = (multiple: number) => windowSeconds / (topperBucketSize * multiple) <= POINTS;
  const multiple = MULTIPLES.find(fits) ?? 288 * Math.ceil(windowSeconds / (86_400 * POINTS));
  return multiple === 1 ? null : topperBucketSize * multiple;
}
