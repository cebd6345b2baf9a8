import { isGiven, type KeyFilter } from '../../domain/filters/key-filter.ts';
import { readNetworks } from '../../domain/filters/network-filter.ts';
import type { Sliced } from '../../domain/sliced.ts';
import type { KeyCodec } from '../keys/key-codec.ts';
import type { KeyList } from '../keys/key-list.ts';
import type { FindAmong } from './find-among.ts';
import { copyKeySet, fullKeySet, type KeySet, nextKey, removeAll } from './key-set.ts';
import { labelledFinder } from './labelled-keys.ts';
import { listedFinder } from './listed-keys.ts';
import { networkFinder } from './network-keys.ts';
import { patternFinder } from './pattern-keys.ts';
import type { OwnLabels } from './plain-texts.ts';
import { searchFinder } from './search-keys.ts';

type MatchOptions = {
  /** The keys to consider; all if omitted. */
  readonly among?: KeySet;
  /** Labels given by users, for filters that search; none if omitted. */
  readonly labels?: OwnLabels;
};

/** Returns the keys of a list that pass a filter, in memory that threads share. */
export type KeyMatcher = (keys: KeyList, options?: MatchOptions) => Sliced<KeySet>;

/** The names of the parameters with the patterns, for errors. */
type PatternNames = { readonly match: string; readonly exclude: string };

const NAMES: PatternNames = { match: 'match', exclude: 'exclude' };

/**
 * Returns a matcher for a filter. It learns as it is used, so of many lists of keys of one kind,
 * the first costs most. Errors: those of compileKeyFilter.
 */
export function* keyMatcher(codec: KeyCodec, filter: KeyFilter, names = NAMES): Sliced<KeyMatcher> {
  const { wanted, unwanted } = yield* findersOf(codec, filter, names);
  const { search } = filter;
  const find = isGiven(search) ? searchFinder(codec, search) : null;
  return function* (keys, { among, labels } = {}) {
    let passing = among ? copyKeySet(among) : fullKeySet(keys.count);
    for (const finder of wanted) {
      if (!isEmpty(passing)) passing = yield* finder(keys, passing);
    }
    for (const finder of unwanted) {
      if (!isEmpty(passing)) removeAll(passing, yield* finder(keys, passing));
    }
    if (find && isGiven(search) && !isEmpty(passing)) {
      const finder = labels ? labelledFinder({ codec, search, labels }, find) : find;
      passing = yield* finder(keys, passing);
    }
    return passing;
  };
}

const isEmpty = (set: KeySet): boolean => nextKey(set, 0) === set.count;

/**
 * Returns the finders for each part of a filter, for keys to keep and keys to leave out, cheapest
 * first.
 */
function* findersOf(
  codec: KeyCodec,
  filter: KeyFilter,
  names: PatternNames,
): Sliced<{ wanted: FindAmong[]; unwanted: FindAmong[] }> {
  const { keys, excludeKeys, cidr, excludeCidr, match, exclude } = filter;
  function* networks(texts: readonly string[], name: string): Sliced<FindAmong> {
    return networkFinder(codec, yield* readNetworks(texts, codec.kinds, name));
  }
  return {
    wanted: [
      isGiven(keys) && listedFinder(codec, keys),
      isGiven(cidr) && (yield* networks(cidr, 'cidr')),
      isGiven(match) && (yield* patternFinder(codec, match, names.match)),
    ].filter((finder) => finder !== false),
    unwanted: [
      isGiven(excludeKeys) && listedFinder(codec, excludeKeys),
      isGiven(excludeCidr) && (yield* networks(excludeCidr, 'excludeCidr')),
      isGiven(exclude) && (yield* patternFinder(codec, exclude, names.exclude)),
    ].filter((finder) => finder !== false),
  };
}
