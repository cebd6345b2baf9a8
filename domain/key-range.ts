import { compareKeys } from './compare-keys.ts';

/** Texts from `from` to before `below`, in the order of their UTF-8 bytes. */
export type KeyRange = { readonly from: string; readonly below: string };

/** The texts that begin with this one, which is not empty and ends in ASCII. */
export const prefixRange = (prefix: string): KeyRange => ({
  from: prefix,
  below: `${prefix.slice(0, -1)}${String.fromCharCode(prefix.charCodeAt(prefix.length - 1) + 1)}`,
});

/** One text only: the next one is it with the least character behind it, as none has a NUL. */
export const singleRange = (text: string): KeyRange => ({ from: text, below: `${text}\u0001` });

/** The same texts by ranges that are in order and apart. */
export function joinRanges(ranges: readonly KeyRange[]): KeyRange[] {
  const joined: KeyRange[] = [];
  for (const range of ranges.toSorted((a, b) => compareKeys(a.from, b.from))) {
    const last = joined.at(-1);
    if (!last || compareKeys(range.from, last.below) > 0) joined.push(range);
    else if (compareKeys(range.below, last.below) > 0) {
      joined[joined.length - 1] = { from: last.from, below: range.below };
    }
  }
  return joined;
}

export const isInRanges = (text: string, ranges: readonly KeyRange[]): boolean =>
  ranges.some(({ from, below }) => compareKeys(from, text) <= 0 && compareKeys(text, below) < 0);
