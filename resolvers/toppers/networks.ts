import { malformed } from '../../domain/errors.ts';
import { lengthsName, type NetworkLengths } from '../../domain/filters/network-lengths.ts';
import { isAddressKind } from '../../domain/keys/key-text.ts';
import type { CounterGroupView } from '../counter-groups.ts';
import type { KeyView } from '../keys.ts';

const MAX_BITS: NetworkLengths = { ipv4: 32, ipv6: 128 };

/** Checks a prefix. Errors: the group's keys are not addresses, or an address has fewer bits. */
export function checkPrefix(group: CounterGroupView, prefix: NetworkLengths): void {
  const { keyKind } = group.read.shape;
  if (keyKind === 'crosskey' || !isAddressKind(keyKind)) {
    const must = 'left out for a group whose keys are not addresses';
    throw malformed('prefix', must, lengthsName(prefix));
  }
  for (const family of ['ipv4', 'ipv6'] as const) {
    const bits = prefix[family];
    const maxBits = MAX_BITS[family];
    if (bits >= 0 && bits <= maxBits) continue;
    throw malformed(`prefix.${family}`, `an integer from 0 to ${maxBits}`, bits);
  }
}

/** Returns networks as keys of kind `subnet`, which have no texts of their own. */
export function viewNetworks(group: CounterGroupView, keys: readonly string[]): KeyView[] {
  const { groupId } = group.read;
  const ofNetworks: CounterGroupView = { ...group, kinds: ['subnet'] };
  const unknown = { label: null, description: null, attributes: null, parts: [], partLabels: [] };
  return keys.map((key) => ({ group: ofNetworks, row: { groupId, key, ...unknown } }));
}
