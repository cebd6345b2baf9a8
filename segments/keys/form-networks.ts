import type { NetworkLengths } from '../../domain/filters/network-lengths.ts';
import { ENDS, GOES_ON, KEY_LENGTHS } from './byte-part.ts';
import { type KeyCodec, keyCodecOf } from './key-codec.ts';
import { type KeyList, keyStart } from './key-list.ts';
import { type Allocate, allocateWords, KeyListBuilder, ownMemory } from './key-list-builder.ts';

/** The networks formed from some addresses. */
export type FormedNetworks = {
  /** The keys of the networks, of kind `subnet`. */
  readonly keys: KeyList;
  /** By ordinal of an address: the ordinal of its network in `keys`. */
  readonly map: Uint32Array;
};

/** The codec of networks, which are keys of kind `subnet`. */
export const NETWORK_CODEC: KeyCodec = keyCodecOf({ keyKind: 'subnet', partKinds: null });

const SHORT = KEY_LENGTHS.ipv4.short;
const LONG = KEY_LENGTHS.ipv6.short;

/** Bytes of the longest key: address, tag and prefix length. */
const MAX_BYTES = LONG + 2;

/**
 * Forms the networks that contain the addresses of a list, within each family. The addresses of a
 * network are adjacent, except that those of the other family may lie between them. So each family
 * keeps its networks in order, and the two lists are merged.
 */
export function formNetworks(
  addresses: KeyList,
  { ipv4, ipv6 }: NetworkLengths,
  allocate: Allocate = ownMemory,
): FormedNetworks {
  const { bytes, ends, count } = addresses;
  const families = [new Family(bytes, SHORT, ipv4), new Family(bytes, LONG, ipv6)] as const;
  const [short, long] = families;
  const map = allocateWords(allocate, count);
  for (let i = 0; i < count; i += 1) {
    const start = keyStart(addresses, i);
    const family = (ends[i] as number) - start === SHORT ? short : long;
    map[i] = family.indexOf(start);
  }
  const { keys, ordinals } = mergeFamilies(families, allocate);
  // If there is only one family, its positions are already the ordinals.
  if (short.count === 0 || long.count === 0) return { keys, map };
  const [ofShort, ofLong] = ordinals;
  for (let i = 0; i < count; i += 1) {
    const isShort = (ends[i] as number) - keyStart(addresses, i) === SHORT;
    map[i] = (isShort ? ofShort : ofLong)[map[i] as number] as number;
  }
  return { keys, map };
}

/** The networks of the addresses of one length, which are added in ascending order. */
class Family {
  readonly #bytes: Uint8Array;
  readonly #length: number;
  readonly #bits: number;
  /** By network: where the bytes of its first address begin. */
  readonly #firsts: number[] = [];
  #last = -1;

  constructor(bytes: Uint8Array, length: number, bits: number) {
    this.#bytes = bytes;
    this.#length = length;
    this.#bits = bits;
  }

  get count(): number {
    return this.#firsts.length;
  }

  /**
   * Returns the position, among the family's networks, of the network of the address at `start`.
   */
  indexOf(start: number): number {
    if (this.#last < 0 || !beginAlike(this.#bytes, this.#last, start, this.#bits)) {
      this.#firsts.push(start);
      this.#last = start;
    }
    return this.#firsts.length - 1;
  }

  /** Writes the compact key of a network. Returns its number of bytes. */
  write(index: number, into: Uint8Array): number {
    const start = this.#firsts[index] as number;
    for (let i = 0; i < this.#length; i += 1) {
      const kept = Math.min(8, Math.max(0, this.#bits - 8 * i));
      const byte = (this.#bytes[start + i] as number) & ~(0xff >> kept);
      into[i < SHORT ? i : i + 1] = byte;
    }
    into[SHORT] = this.#length === SHORT ? ENDS : GOES_ON;
    into[this.#length + 1] = this.#bits;
    return this.#length + 2;
  }
}

function beginAlike(bytes: Uint8Array, a: number, b: number, bits: number): boolean {
  const whole = bits >>> 3;
  for (let i = 0; i < whole; i += 1) if (bytes[a + i] !== bytes[b + i]) return false;
  const rest = bits & 7;
  if (rest === 0) return true;
  return ((bytes[a + whole] as number) ^ (bytes[b + whole] as number)) >>> (8 - rest) === 0;
}

/** The position of the merge in a family's networks. */
type Cursor = {
  readonly family: Family;
  readonly ordinals: Uint32Array;
  readonly key: Uint8Array;
  index: number;
  length: number;
};

function mergeFamilies(families: readonly [Family, Family], allocate: Allocate) {
  const [short, long] = families;
  const count = short.count + long.count;
  const size = short.count * (SHORT + 2) + long.count * MAX_BYTES;
  const merged = new KeyListBuilder({ keys: count, bytes: size }, allocate);
  const [a, b] = [cursorOf(short), cursorOf(long)] as const;
  while (merged.count < count) {
    const next = isFirst(a, b) ? a : b;
    next.ordinals[next.index] = merged.count;
    merged.add(next.key, 0, next.length);
    next.index += 1;
    advance(next);
  }
  return { keys: merged.finish(), ordinals: [a.ordinals, b.ordinals] as const };
}

function cursorOf(family: Family): Cursor {
  const key = new Uint8Array(MAX_BYTES);
  const cursor = { family, ordinals: new Uint32Array(family.count), key, index: 0, length: 0 };
  advance(cursor);
  return cursor;
}

function advance(cursor: Cursor): void {
  const { family, index, key } = cursor;
  cursor.length = index < family.count ? family.write(index, key) : 0;
}

/**
 * Whether the network of the short family comes next. Keys of different lengths differ in their
 * tags.
 */
function isFirst(a: Cursor, b: Cursor): boolean {
  if (a.length === 0) return false;
  if (b.length === 0) return true;
  for (let i = 0; i < SHORT + 1; i += 1) {
    const difference = (a.key[i] as number) - (b.key[i] as number);
    if (difference !== 0) return difference < 0;
  }
  return false;
}
