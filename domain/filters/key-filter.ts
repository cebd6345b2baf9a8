import { malformed } from '../errors.ts';
import { parseKeyOfKinds } from '../keys/cross-key.ts';
import type { SimpleKeyKind } from '../keys/key-kind.ts';

import { LIMITS } from '../limits.ts';
import type { Sliced } from '../sliced.ts';
import { compileKeyPattern } from './key-pattern.ts';
import { compileNetworks, readNetworks } from './network-filter.ts';
import { foldCase } from './search-text.ts';

/** All given conditions must hold; a list holds if any of its values does. */
export type KeyFilter = {
  match?: string;
  exclude?: string;
  keys?: readonly string[];
  excludeKeys?: readonly string[];
  cidr?: readonly string[];
  excludeCidr?: readonly string[];
  search?: string;
};

/** A key with what filters test. `parts` is only the key itself unless it is a cross-key. */
export type FilterableKey = {
  key: string;
  parts: readonly string[];
  readable: () => string;
  label: () => string;
};

type KeyTest = (key: FilterableKey) => boolean;

/** An empty text or list counts as omitted (decision 1; decisions, section 10). */
export const isGiven = <T extends string | readonly string[]>(value: T | undefined): value is T =>
  value !== undefined && value.length > 0;

export const isEmptyFilter = (filter: KeyFilter): boolean => !Object.values(filter).some(isGiven);

/** Returns the patterns of a filter with their names. */
export const patternsOf = ({ match, exclude }: KeyFilter): ['match' | 'exclude', string][] => [
  ...(isGiven(match) ? [['match', match] as ['match', string]] : []),
  ...(isGiven(exclude) ? [['exclude', exclude] as ['exclude', string]] : []),
];

/**
 * Compiles `filter` to a test for keys of a group. `kinds` has the group's kind, or the kinds of a
 * cross-key's parts; `names` are the parameters that gave the patterns. Throws `malformedValue` for
 * a pattern, network or list that cannot be used.
 */
export function compileKeyFilter(
  filter: KeyFilter,
  kinds: readonly SimpleKeyKind[],
  names: { match: string; exclude: string },
): KeyTest {
  // Cheapest first: when a test fails, the others do not run.
  const tests = [
    when(filter.keys, (keys) => keyTest(keys, kinds, 'keys')),
    when(filter.excludeKeys, (keys) => not(keyTest(keys, kinds, 'excludeKeys'))),
    when(filter.cidr, (networks) => networkTest(networks, kinds, 'cidr')),
    when(filter.excludeCidr, (networks) => not(networkTest(networks, kinds, 'excludeCidr'))),
    when(filter.match, (pattern) => patternTest(pattern, names.match)),
    when(filter.exclude, (pattern) => not(patternTest(pattern, names.exclude))),
    when(filter.search, searchTest),
  ].filter((test) => test !== null);
  return (key) => tests.every((test) => test(key));
}

/** Checks the lists of a filter. Throws `malformedValue` as compileKeyFilter does. */
export function* checkLists(filter: KeyFilter, kinds: readonly SimpleKeyKind[]): Sliced<void> {
  const { keys = [], excludeKeys = [], cidr, excludeCidr } = filter;
  checkLength(keys, 'keys');
  checkLength(excludeKeys, 'excludeKeys');
  for (const [name, networks] of Object.entries({ cidr, excludeCidr })) {
    if (!isGiven(networks)) continue;
    checkLength(networks, name);
    yield* readNetworks(networks, kinds, name);
  }
}

/**
 * Splits the filter of a topper whose keys are networks of addresses into what applies to keys of
 * kind `subnet`, and what applies to the addresses: where the networks lie.
 */
export function splitNetworkFilter({ cidr = [], excludeCidr = [], ...ofKeys }: KeyFilter) {
  return { ofKeys, ofAddresses: { cidr, excludeCidr } };
}

const when = <T extends string | readonly string[]>(
  value: T | undefined,
  compile: (value: T) => KeyTest,
): KeyTest | null => (isGiven(value) ? compile(value) : null);

const not =
  (test: KeyTest): KeyTest =>
  (key) =>
    !test(key);

function checkLength(list: readonly string[], name: string): void {
  if (list.length <= LIMITS.filterListItems) return;
  throw malformed(name, `a list of at most ${LIMITS.filterListItems} values`, list.length);
}

function keyTest(texts: readonly string[], kinds: readonly SimpleKeyKind[], name: string): KeyTest {
  checkLength(texts, name);
  const wanted = new Set(texts.map((text) => canonicalKey(text, kinds)));
  return ({ key }) => wanted.has(key);
}

/** Returns the canonical key. Other texts stay as given, and so match none of the group's keys. */
export const canonicalKey = (text: string, kinds: readonly SimpleKeyKind[]): string =>
  parseKeyOfKinds(kinds, text) ?? text;

function networkTest(
  networks: readonly string[],
  kinds: readonly SimpleKeyKind[],
  name: string,
): KeyTest {
  checkLength(networks, name);
  const test = compileNetworks(networks, kinds, name);
  return ({ parts }) => test(parts);
}

function patternTest(pattern: string, name: string): KeyTest {
  const test = compileKeyPattern(pattern, name);
  return ({ key }) => test(key);
}

function searchTest(search: string): KeyTest {
  const wanted = foldCase(search);
  return ({ readable, label }) =>
    foldCase(label()).includes(wanted) || foldCase(readable()).includes(wanted);
}
