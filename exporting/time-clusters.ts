/** What lies in a span of time: starts of its first and its last bucket. */
export type Spanned = { readonly firstBucket: number; readonly lastBucket: number };

/**
 * What overlaps in time, together; oldest first. A key and bucket that two segments have is in one
 * cluster, so each cluster is read by itself: of a feed's commits few are open at once.
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
