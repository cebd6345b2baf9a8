import { canonicalKey, isGiven, type KeyFilter } from './key-filter.ts';
import type { SimpleKeyKind } from './key-kind.ts';
import { joinRanges, type KeyRange, prefixRange, singleRange } from './key-range.ts';
import { networkRanges } from './network-filter.ts';
import { patternPrefixes } from './pattern-prefixes.ts';

/**
 * What is known of a filter before any key is looked at. inside: only keys in the ranges can pass;
 * outside: only keys in them can fail. isExact: all of these do, so none has to be looked at.
 * Ranges are in order and apart.
 */
export type KeyBounds = Ranges & { readonly side: 'inside' | 'outside' };

type Ranges = { readonly ranges: readonly KeyRange[]; readonly isExact: boolean };

/** The bounds of a filter that compiles and does not search; null: any key may pass or fail. */
export function boundKeys(filter: KeyFilter, kinds: readonly SimpleKeyKind[]): KeyBounds | null {
  const wanted = rangesOf(kinds, filter.keys, filter.cidr, filter.match);
  const unwanted = rangesOf(kinds, filter.excludeKeys, filter.excludeCidr, filter.exclude);
  const least = wanted.find((ranges) => ranges !== null);
  if (least) {
    const isExact = least.isExact && wanted.length === 1 && unwanted.length === 0;
    return { side: 'inside', ranges: joinRanges(least.ranges), isExact };
  }
  const known = unwanted.filter((ranges) => ranges !== null);
  if (wanted.length > 0 || known.length < unwanted.length) return null;
  const ranges = joinRanges(known.flatMap((each) => each.ranges));
  return { side: 'outside', ranges, isExact: known.every(({ isExact }) => isExact) };
}

/** Where the keys are that each test which is given finds, narrow ones first; null: anywhere. */
function rangesOf(
  kinds: readonly SimpleKeyKind[],
  keys: readonly string[] | undefined,
  networks: readonly string[] | undefined,
  pattern: string | undefined,
): (Ranges | null)[] {
  return [
    isGiven(keys) && rangesOfKeys(keys, kinds),
    isGiven(networks) && rangesOfNetworks(networks, kinds),
    isGiven(pattern) && rangesOfPattern(pattern),
  ].filter((ranges) => ranges !== false);
}

/** Which of the texts that PostgreSQL has for what is no text in Unicode is left to the test. */
const rangesOfKeys = (keys: readonly string[], kinds: readonly SimpleKeyKind[]): Ranges => ({
  // No key has a NUL, and PostgreSQL takes none.
  ranges: keys
    .map((key) => canonicalKey(key, kinds))
    .filter((key) => !key.includes('\0'))
    .map(singleRange),
  isExact: false,
});

/** Which of them are addresses at all is left to the test. */
function rangesOfNetworks(
  networks: readonly string[],
  kinds: readonly SimpleKeyKind[],
): Ranges | null {
  // A cross-key's part may stand behind another one.
  return kinds.length === 1 ? { ranges: networkRanges(networks), isExact: false } : null;
}

function rangesOfPattern(pattern: string): Ranges | null {
  const prefixes = patternPrefixes(pattern);
  return prefixes && { ranges: prefixes.texts.map(prefixRange), isExact: prefixes.isWhole };
}
