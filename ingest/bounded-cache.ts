/** Longer inputs are computed every time, so that the cache's size is bounded in bytes too. */
const LONGEST_INPUT = 100;

/**
 * Remembers the results of a pure function of a string. When `limit` results are kept, all are
 * forgotten: that is as good as anything cleverer while most inputs repeat, and costs nothing when
 * they do not.
 */
export function boundedCache<K extends string, V>(
  limit: number,
  compute: (input: K) => V,
): (input: K) => V {
  const known = new Map<string, V>();
  return (input) => {
    const cached = known.get(input);
    if (cached !== undefined) return cached;
    const value = compute(input);
    if (input.length > LONGEST_INPUT) return value;
    if (known.size >= limit) known.clear();
    known.set(ownCopy(input), value);
    return value;
  };
}

/**
 * The same text in memory of its own. What `split` and `slice` give points into the text it was cut
 * from: keeping such a piece of a line keeps the whole block of the file that was read with it.
 */
export const ownCopy = (text: string): string => Buffer.from(text).toString();
