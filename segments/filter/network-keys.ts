import type { Network } from '../../domain/keys/address-forms.ts';
import { isAddressKind } from '../../domain/keys/key-text.ts';
import { hasTag, KEY_LENGTHS } from '../keys/byte-part.ts';
import { type KeyCodec, positionOf } from '../keys/key-codec.ts';
import { keyStart, networkRange } from '../keys/key-list.ts';
import { AddressRanges } from './address-ranges.ts';
import type { FindAmong } from './find-among.ts';
import { addKey, addWithin, emptyKeySet, nextKey, partsOfKeys } from './key-set.ts';

/** Finds the keys that have an address in one of the networks (decisions, section 10). */
export const networkFinder = (codec: KeyCodec, networks: readonly Network[]): FindAmong =>
  codec.kinds.length === 1 ? addressFinder(codec, networks) : partFinder(codec, networks);

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

/** A part of a cross-key that is an address. */
type AddressPart = { readonly part: number; readonly short: number; readonly tags: number };

function partFinder(codec: KeyCodec, networks: readonly Network[]): FindAmong {
  const { kinds, partEnds } = codec;
  const parts = kinds.flatMap((_, i) => addressPart(codec, i) ?? []);
  const ranges = new AddressRanges(networks);
  const ends = new Uint32Array(kinds.length);
  const isInside = (bytes: Uint8Array, start: number, { part, short, tags }: AddressPart) => {
    const from = part === 0 ? start : (ends[part - 1] as number);
    const length = (ends[part] as number) - from - tags;
    return ranges.has(bytes, from, { length, tagAt: short, tags });
  };
  return function* (keys, among) {
    const found = emptyKeySet(keys.count);
    const { bytes } = keys;
    for (const { from: first, to } of partsOfKeys(keys.count)) {
      for (let i = nextKey(among, first); i < to; i = nextKey(among, i + 1)) {
        const from = keyStart(keys, i);
        partEnds(bytes, from, keys.ends[i] as number, ends);
        if (parts.some((part) => isInside(bytes, from, part))) addKey(found, i);
      }
      yield;
    }
    return found;
  };
}

function addressPart({ kinds }: KeyCodec, part: number): AddressPart | null {
  const kind = kinds[part];
  if (kind === undefined || kind === 'text' || !isAddressKind(kind)) return null;
  const { short, long } = KEY_LENGTHS[kind];
  const isTagged = long !== undefined && hasTag(kind, positionOf(kinds, part));
  return { part, short, tags: isTagged ? 1 : 0 };
}
