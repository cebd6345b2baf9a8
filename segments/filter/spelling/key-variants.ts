import { ENDS, hasTag, KEY_LENGTHS } from '../../keys/byte-part.ts';
import { type KeyCodec, positionOf } from '../../keys/key-codec.ts';
import type { KeyList } from '../../keys/key-list.ts';

/**
 * Variants of keys, by which of their parts have the longer of two possible lengths, such as an
 * IPv6 address where an IPv4 address is possible. The readable forms of the two begin differently.
 */
export type KeyVariants = {
  /** Returns the variant number of a key: bit i stands for part i. */
  readonly of: (bytes: Uint8Array, from: number, to: number) => number;
  /**
   * Returns the variant of all keys of a list if their number and length together show that it is
   * the same one; otherwise null.
   */
  readonly ofAll: (keys: KeyList) => number | null;
};

export const ONE_VARIANT: KeyVariants = { of: () => 0, ofAll: () => 0 };

export const isLongPart = (variant: number, part: number): boolean =>
  ((variant >>> part) & 1) === 1;

export function keyVariantsOf(codec: KeyCodec): KeyVariants {
  const parts = codec.kinds.map((_, i) => partLengths(codec, i));
  // Nothing after the last part with two lengths needs to be read.
  const last = parts.findLastIndex((part) => part !== null && part.short < part.long);
  if (last < 0) return ONE_VARIANT;
  const known = parts.filter((part) => part !== null);
  const ofAll = known.length === parts.length ? variantOfLists(known) : () => null;
  const firsts = parts.slice(0, last + 1);
  const areBytes = firsts.every((part) => part !== null);
  return { of: areBytes ? variantsOfBytes(firsts) : variantsWithText(codec, parts), ofAll };
}

/**
 * The possible lengths of a part in bytes, and the position of the tag that distinguishes them, if
 * any.
 */
type PartLengths = { readonly short: number; readonly long: number; readonly tagAt: number | null };

/** Returns the possible lengths of a part; null for text. */
function partLengths({ kinds }: KeyCodec, part: number): PartLengths | null {
  const kind = kinds[part] ?? 'text';
  if (kind === 'text') return null;
  const { short, long } = KEY_LENGTHS[kind];
  if (long === undefined) return { short, long: short, tagAt: null };
  const isTagged = hasTag(kind, positionOf(kinds, part));
  const more = (isTagged ? 1 : 0) + (kind === 'subnet' ? 1 : 0);
  return { short: short + more, long: long + more, tagAt: isTagged ? short : null };
}

/** If all keys have the least or the greatest possible length, so have all of their parts. */
function variantOfLists(parts: readonly PartLengths[]): KeyVariants['ofAll'] {
  let shortest = 0;
  let longest = 0;
  let allLong = 0;
  for (const [i, { short, long }] of parts.entries()) {
    shortest += short;
    longest += long;
    if (short < long) allLong |= 1 << i;
  }
  return ({ ends, count }) => {
    const length = count === 0 ? 0 : (ends[count - 1] as number);
    if (length === count * shortest) return 0;
    return length === count * longest ? allLong : null;
  };
}

const variantsOfBytes =
  (parts: readonly PartLengths[]): KeyVariants['of'] =>
  (bytes, from, to) => {
    let variant = 0;
    let start = from;
    for (let i = 0; i < parts.length; i += 1) {
      const { short, long, tagAt } = parts[i] as PartLengths;
      if (short < long) {
        const isLong = tagAt === null ? to - start > short : bytes[start + tagAt] !== ENDS;
        if (isLong) variant |= 1 << i;
        start += isLong ? long : short;
      } else start += short;
    }
    return variant;
  };

function variantsWithText(
  { partEnds, kinds }: KeyCodec,
  parts: readonly (PartLengths | null)[],
): KeyVariants['of'] {
  const ends = new Uint32Array(kinds.length);
  return (bytes, from, to) => {
    partEnds(bytes, from, to, ends);
    let variant = 0;
    let start = from;
    for (let i = 0; i < ends.length; i += 1) {
      const end = ends[i] as number;
      const lengths = parts[i];
      if (lengths && end - start > lengths.short) variant |= 1 << i;
      start = end;
    }
    return variant;
  };
}
