import { isGiven, type KeyFilter, splitNetworkFilter } from '../../domain/filters/key-filter.ts';
import { parseNetworks } from '../../domain/filters/network-filter.ts';
import type { Network } from '../../domain/keys/address-forms.ts';
import { KEY_LENGTHS } from '../keys/byte-part.ts';
import { NETWORK_CODEC } from '../keys/form-networks.ts';
import { type KeyList, keyStart } from '../keys/key-list.ts';
import { AddressRanges } from './address-ranges.ts';
import { addKey, emptyKeySet, type KeySet, nextKey, removeAll } from './key-set.ts';
import { keyMatcher } from './match-keys.ts';

/**
 * Returns the networks of a list that pass a filter: with `cidr`, those that lie wholly inside;
 * with `excludeCidr`, those that do not. Errors: those of checkNetworkFilter.
 */
export function matchNetworks(keys: KeyList, filter: KeyFilter): KeySet {
  const { ofKeys, ofAddresses } = splitNetworkFilter(filter);
  const { cidr, excludeCidr } = ofAddresses;
  let passing = keyMatcher(NETWORK_CODEC, ofKeys)(keys);
  if (isGiven(cidr)) passing = networksInside(keys, passing, parseNetworks(cidr, 'cidr'));
  if (isGiven(excludeCidr)) {
    const outer = parseNetworks(excludeCidr, 'excludeCidr');
    removeAll(passing, networksInside(keys, passing, outer));
  }
  return passing;
}

const { short: SHORT } = KEY_LENGTHS.subnet;

/** Bytes of the tag and the prefix length. */
const MORE_BYTES = 2;

/**
 * Returns the networks in `among` that lie in one of the outer networks and are no larger than it.
 */
function networksInside(keys: KeyList, among: KeySet, outer: readonly Network[]): KeySet {
  const found = emptyKeySet(keys.count);
  const byPrefix = new Map<number, AddressRanges>();
  const notSmallerThan = (prefix: number): AddressRanges => {
    const ranges =
      byPrefix.get(prefix) ?? new AddressRanges(outer.filter((each) => each.prefix <= prefix));
    byPrefix.set(prefix, ranges);
    return ranges;
  };
  for (let i = nextKey(among, 0); i < keys.count; i = nextKey(among, i + 1)) {
    const from = keyStart(keys, i);
    const to = keys.ends[i] as number;
    const layout = { length: to - from - MORE_BYTES, tagAt: SHORT, tags: 1 };
    const ranges = notSmallerThan(keys.bytes[to - 1] as number);
    if (ranges.has(keys.bytes, from, layout)) addKey(found, i);
  }
  return found;
}
