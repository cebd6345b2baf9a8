/**
 * Passes items to `take`, one after the other. Returns what to wait for until all are taken; null
 * if that was done without waiting.
 */
export function inOrder<T>(
  items: Iterator<T>,
  take: (item: T) => Promise<void> | null,
): Promise<void> | null {
  for (let next = items.next(); !next.done; next = items.next()) {
    const due = take(next.value);
    if (due !== null) return due.then(() => inOrder(items, take) ?? undefined);
  }
  return null;
}
