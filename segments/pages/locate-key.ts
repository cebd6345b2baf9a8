import type { Directory, LocatedRange } from './directory.ts';
import type { KeySection } from './read-range.ts';

/** Where a key is, if the segment has it. */
type KeyLocation = KeySection & {
  /** Whether the directory names the key: then it is present, and nothing needs to be read. */
  readonly isNamed: boolean;
};

/**
 * Returns the only section that can have a compact key, from what the directory says about the
 * ranges and their sections. Null if no section can have it.
 */
export function locateKey({ ranges }: Directory, key: Uint8Array): KeyLocation | null {
  const range = ranges[firstAtOrAfter(ranges, key)];
  if (range === undefined || Buffer.compare(range.firstKey, key) > 0) return null;
  const section = sectionOf(range, key);
  const first = section === 0 ? range.firstKey : range.sectionKeys[section - 1];
  const isNamed = [first, range.lastKey].some(
    (named) => named !== undefined && Buffer.compare(named, key) === 0,
  );
  return { range, section, isNamed };
}

/** Returns the index of the first range that does not end before the key. */
function firstAtOrAfter(ranges: readonly LocatedRange[], key: Uint8Array): number {
  let from = 0;
  let to = ranges.length;
  while (from < to) {
    const middle = (from + to) >>> 1;
    const { lastKey } = ranges[middle] as LocatedRange;
    if (Buffer.compare(lastKey, key) < 0) from = middle + 1;
    else to = middle;
  }
  return from;
}

/**
 * Returns the section of a key that does not come before the range. There are at most 16 sections.
 */
function sectionOf({ sectionKeys }: LocatedRange, key: Uint8Array): number {
  const next = sectionKeys.findIndex((first) => Buffer.compare(first, key) > 0);
  return next < 0 ? sectionKeys.length : next;
}
