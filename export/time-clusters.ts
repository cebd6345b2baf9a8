/** An item that covers a time span, given by the starts of its first and last bucket. */
export type Spanned = { readonly firstBucket: number; readonly lastBucket: number };

/**
 * Groups items that overlap in time, oldest first. If two segments share a key and bucket, they are
 * in the same cluster, so each cluster can be read by itself and only a few of a feed's commits are
 * open at once.
 */
export function timeClusters<Item extends Spanned>(items: readonly Item[]): Item[][] {
  const clusters: Item[][] = [];
  let end = Number.NEGATIVE_INFINITY;
  for (const item of items.toSorted((a, b) => a.firstBucket - b.firstBucket)) {
    const open = clusters.at(-1);
    if (open && item.firstBucket <= end) open.push(item);
    else clusters.push([item]);
    end = Math.max(end, item.lastBucket);
  }
  return clusters;
}
