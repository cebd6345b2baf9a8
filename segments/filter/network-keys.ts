import type { Network } from '../../domain/keys/address-forms.ts';
import type { SimpleKeyKind } from '../../domain/keys/key-kind.ts';
import { isAddressKind } from '../../domain/keys/key-text.ts';
import { hasTag, KEY_LENGTHS } from '../keys/byte-part.ts';
import { type KeyCodec, positionOf } from '../keys/key-codec.ts';
import { type KeyList, keyStart, networkRange } from '../keys/key-list.ts';
import { OuterNetworks } from './address-ranges.ts';
import type { FindAmong } from './find-among.ts';
import { addKey, addWithin, emptyKeySet, nextKey, partsOfKeys } from './key-set.ts';

/** Finds the keys that have an address in one of the networks (decisions, section 10). */
export const networkFinder = (codec: KeyCodec, networks: readonly Network[]): FindAmong =>
  codec.kinds.length === 1
    ? addressFinder(codec, networks)
    : finderOf(partTest(codec, networks, addressParts(codec, isAddressKind)));

/**
 * The addresses of a network are adjacent, except for addresses of the other family between them.
 */
function addressFinder({ kinds }: KeyCodec, networks: readonly Network[]): FindAmong {
  const [kind] = kinds;
  return function* (keys, among) {
    const found = emptyKeySet(keys.count);
    for (const { bytes, prefix } of networks) {
      yield;
      const range = networkRange(keys, Uint8Array.from(bytes), prefix);
      if (kind !== 'ip') {
        if (bytes.length === (kind === 'ipv4' ? 4 : 16)) addWithin(found, among, range);
        continue;
      }
      for (let i = nextKey(among, range.from); i < range.to; i = nextKey(among, i + 1)) {
        if ((keys.ends[i] as number) - keyStart(keys, i) === bytes.length) addKey(found, i);
      }
    }
    return found;
  };
}

/** A part that is an address or, if `isNetwork`, a network: its last byte is the prefix length. */
type AddressPart = {
  readonly part: number;
  readonly short: number;
  readonly tags: number;
  readonly isNetwork: boolean;
};

/** Tests key i of a list. */
type KeyOfListTest = (keys: KeyList, i: number) => boolean;

function partTest(
  { kinds, partEnds }: KeyCodec,
  networks: readonly Network[],
  parts: readonly AddressPart[],
): KeyOfListTest {
  const outer = new OuterNetworks(networks);
  const ends = new Uint32Array(kinds.length);
  const isInside = (bytes: Uint8Array, start: number, each: AddressPart): boolean => {
    const { part, short, tags, isNetwork } = each;
    const from = part === 0 ? start : (ends[part - 1] as number);
    const to = (ends[part] as number) - (isNetwork ? 1 : 0);
    const ranges = isNetwork ? outer.notSmallerThan(bytes[to] as number) : outer.all;
    return ranges.has(bytes, from, { length: to - from - tags, tagAt: short, tags });
  };
  return (keys, i) => {
    const from = keyStart(keys, i);
    partEnds(keys.bytes, from, keys.ends[i] as number, ends);
    return parts.some((part) => isInside(keys.bytes, from, part));
  };
}

const finderOf = (isWanted: KeyOfListTest): FindAmong =>
  function* (keys, among) {
    const found = emptyKeySet(keys.count);
    for (const { from, to } of partsOfKeys(keys.count)) {
      for (let i = nextKey(among, from); i < to; i = nextKey(among, i + 1)) {
        if (isWanted(keys, i)) addKey(found, i);
      }
      yield;
    }
    return found;
  };

const addressParts = (codec: KeyCodec, isMeant: (kind: SimpleKeyKind) => boolean): AddressPart[] =>
  codec.kinds.flatMap((kind, part) => {
    if (kind === 'text' || !isMeant(kind)) return [];
    const { short, long } = KEY_LENGTHS[kind];
    const isTagged = long !== undefined && hasTag(kind, positionOf(codec.kinds, part));
    return [{ part, short, tags: isTagged ? 1 : 0, isNetwork: kind === 'subnet' }];
  });

/** Whether the keys of a kind are addresses or networks. */
export const liesInNetworks = (kind: SimpleKeyKind): boolean =>
  isAddressKind(kind) || kind === 'subnet';

/**
 * Returns a test whether a part of a key lies in the networks of a limited grant: an address, or,
 * which is the difference to `networkFinder`, a network that is no larger.
 */
export const limitTest = (codec: KeyCodec, networks: readonly Network[]): KeyOfListTest =>
  partTest(codec, networks, addressParts(codec, liesInNetworks));

/** Finds the keys that pass `limitTest`: key by key, or network by network if these are fewer. */
export function limitFinder(codec: KeyCodec, networks: readonly Network[]): FindAmong {
  const byKey = finderOf(limitTest(codec, networks));
  if (codec.kinds.includes('subnet')) return byKey;
  const byNetwork = networkFinder(codec, networks);
  return (keys, among) =>
    keys.count < networks.length ? byKey(keys, among) : byNetwork(keys, among);
}
