/** Maximum length of an input that is cached, so that the cache is bounded in bytes too. */
const LONGEST_INPUT = 100;

/**
 * Caches the results of a pure function of a string. When `limit` results are cached, all are
 * dropped. While most inputs repeat, that is as good as anything cleverer; when they do not, it
 * costs nothing.
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
 * Copies a text into memory of its own. `split` and `slice` return references into the original
 * text: keeping such a piece of a line keeps the whole block of the file that was read with it.
 */
export const ownCopy = (text: string): string => Buffer.from(text).toString();
