import { compareKeys } from './compare-keys.ts';
import { compareExact, type Exact } from './exact.ts';

/**
 * The `wanted` largest of `readings`, and besides them all that are as large as the smallest of
 * these: between equals the key decides (decision 24), which is only looked up for what comes back.
 * Largest first; equals in no order.
 */
export function largest<T extends { readonly value: Exact }>(
  readings: readonly T[],
  wanted: number,
): T[] {
  const sorted = [...readings].sort((a, b) => compareExact(b.value, a.value));
  const last = sorted[wanted - 1];
  if (!last) return sorted;
  let end = wanted;
  for (let next = sorted[end]; next && compareExact(next.value, last.value) === 0; ) {
    end += 1;
    next = sorted[end];
  }
  return sorted.slice(0, end);
}

type Ranked = { readonly value: Exact; readonly key: string };

/** Decision 24: largest exact value first, equal values by key in byte order. */
export const compareRanked = (a: Ranked, b: Ranked): number =>
  compareExact(b.value, a.value) || compareKeys(a.key, b.key);
