/** Items whose work is begun in one go: at most a millisecond or so. */
const ITEMS_AT_ONCE = 100;

/**
 * Begins `work` for each item, so that all of them are read together, and returns the results in
 * their order. Calls `pause` in between if there are many.
 */
export async function beginEach<T, Result>(
  items: readonly T[],
  work: (item: T) => Promise<Result>,
  pause: () => Promise<void> | undefined,
): Promise<Result[]> {
  const begun: Promise<Result>[] = [];
  for (const [i, item] of items.entries()) {
    if (i > 0 && i % ITEMS_AT_ONCE === 0) await pause();
    const each = work(item);
    // Nobody awaits it yet, or ever if a later one cannot be begun; the last line tells.
    each.catch(() => undefined);
    begun.push(each);
  }
  return Promise.all(begun);
}
