import { isGiven, type KeyFilter, splitNetworkFilter } from '../../domain/filters/key-filter.ts';
import { parseNetworks } from '../../domain/filters/network-filter.ts';
import type { Network } from '../../domain/keys/address-forms.ts';
import type { Sliced } from '../../domain/sliced.ts';
import { KEY_LENGTHS } from '../keys/byte-part.ts';
import { NETWORK_CODEC } from '../keys/form-networks.ts';
import { type KeyList, keyStart } from '../keys/key-list.ts';
import { OuterNetworks } from './address-ranges.ts';
import { addKey, emptyKeySet, type KeySet, nextKey, partsOfKeys, removeAll } from './key-set.ts';
import { keyMatcher } from './match-keys.ts';

/**
 * Returns the networks of a list that pass a filter: with `cidr`, those that lie wholly inside;
 * with `excludeCidr`, those that do not. Errors: those of compileKeyFilter.
 */
export function* matchNetworks(keys: KeyList, filter: KeyFilter): Sliced<KeySet> {
  const { ofKeys, ofAddresses } = splitNetworkFilter(filter);
  const { cidr, excludeCidr } = ofAddresses;
  const matches = yield* keyMatcher(NETWORK_CODEC, ofKeys);
  let passing = yield* matches(keys);
  if (isGiven(cidr)) {
    passing = yield* networksInside(keys, passing, yield* parseNetworks(cidr, 'cidr'));
  }
  if (isGiven(excludeCidr)) {
    const outer = yield* parseNetworks(excludeCidr, 'excludeCidr');
    removeAll(passing, yield* networksInside(keys, passing, outer));
  }
  return passing;
}

const { short: SHORT } = KEY_LENGTHS.subnet;

/** Bytes of the tag and the prefix length. */
const MORE_BYTES = 2;

/**
 * Returns the networks in `among` that lie in one of the outer networks and are no larger than it.
 */
function* networksInside(keys: KeyList, among: KeySet, outer: readonly Network[]): Sliced<KeySet> {
  const found = emptyKeySet(keys.count);
  const networks = new OuterNetworks(outer);
  for (const part of partsOfKeys(keys.count)) {
    for (let i = nextKey(among, part.from); i < part.to; i = nextKey(among, i + 1)) {
      const from = keyStart(keys, i);
      const to = keys.ends[i] as number;
      const layout = { length: to - from - MORE_BYTES, tagAt: SHORT, tags: 1 };
      const ranges = networks.notSmallerThan(keys.bytes[to - 1] as number);
      if (ranges.has(keys.bytes, from, layout)) addKey(found, i);
    }
    yield;
  }
  return found;
}
