/** A system's answer to a question. */
export type Answer = {
  /** Largest first; equal values in key order. */
  readonly keys: readonly AnswerKey[];
  /** Total of all keys that are not listed, including those that a filter excludes. */
  readonly others: number;
  /** Number of keys with a reading that pass the filter. null if the answer does not say. */
  readonly keyCount: number | null;
};

export type AnswerKey = {
  readonly key: string;
  readonly value: number;
  /** In the order of the question's ranks. */
  readonly percentiles: readonly number[];
};

/** Every figure of these data is exact as a double. One that was not could not be compared. */
export function exactNumber(value: unknown): number {
  const number = Number(value);
  if (Number.isSafeInteger(number)) return number;
  throw new Error(`an answer has ${String(value)} where an integer up to 2^53 is expected`);
}

/** Describes the first difference between two answers. null if they are equal. */
export function difference(a: Answer, b: Answer): string | null {
  if (a.keys.length !== b.keys.length) return `${a.keys.length} keys, and ${b.keys.length}`;
  for (const [place, left] of a.keys.entries()) {
    const one = JSON.stringify(left);
    const other = JSON.stringify(b.keys[place]);
    if (one !== other) return `place ${place + 1} has ${one}, and ${other}`;
  }
  if (a.others !== b.others) return `others are ${a.others}, and ${b.others}`;
  if (a.keyCount !== null && b.keyCount !== null && a.keyCount !== b.keyCount) {
    return `${a.keyCount} keys have a reading, and ${b.keyCount}`;
  }
  return null;
}
