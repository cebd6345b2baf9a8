import { ENDS, hasTag, KEY_LENGTHS } from '../../keys/byte-part.ts';
import { type KeyCodec, positionOf } from '../../keys/key-codec.ts';

/**
 * Keys by which of their parts, of the kinds that have two lengths, have the longer one: an IPv6
 * address where an IPv4 one could be. What people read begins differently.
 */
export type KeyVariants = {
  /** The number of the variant of a key: bit i is part i. */
  readonly of: (bytes: Uint8Array, from: number, to: number) => number;
  readonly isOne: boolean;
};

export const ONE_VARIANT: KeyVariants = { of: () => 0, isOne: true };

export const isLongPart = (variant: number, part: number): boolean =>
  ((variant >>> part) & 1) === 1;

export function keyVariantsOf(codec: KeyCodec): KeyVariants {
  const parts = codec.kinds.map((_, i) => partLengths(codec, i));
  // Behind the last part of two lengths, nothing has to be looked at.
  const last = parts.findLastIndex((part) => part !== null && part.short < part.long);
  if (last < 0) return ONE_VARIANT;
  const known = parts.slice(0, last + 1).filter((part) => part !== null);
  if (known.length === last + 1) return { isOne: false, of: variantsOfBytes(known) };
  return { isOne: false, of: variantsWithText(codec, parts) };
}

/** What a part may be long in a key, in bytes, and where the tag is that tells, if there is one. */
type PartLengths = { readonly short: number; readonly long: number; readonly tagAt: number | null };

/** Null for text. */
function partLengths({ kinds }: KeyCodec, part: number): PartLengths | null {
  const kind = kinds[part] ?? 'text';
  if (kind === 'text') return null;
  const { short, long } = KEY_LENGTHS[kind];
  if (long === undefined) return { short, long: short, tagAt: null };
  const isTagged = hasTag(kind, positionOf(kinds, part));
  const more = (isTagged ? 1 : 0) + (kind === 'subnet' ? 1 : 0);
  return { short: short + more, long: long + more, tagAt: isTagged ? short : null };
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
