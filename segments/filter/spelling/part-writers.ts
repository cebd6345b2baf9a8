import type { SimpleKeyKind } from '../../../domain/keys/key-kind.ts';
import type { WritePart } from './spelling-state.ts';
import { writeAscii, writeDecimal, writeIpv6 } from './write-parts.ts';

/** A part whose readable form depends on all of its bytes together. */
type WrittenPart = {
  readonly kind: SimpleKeyKind;
  /** Number of bytes before the tag, if `tags` is 1. */
  readonly short: number;
  readonly tags: number;
};

const IPV6_BYTES = 16;
const INTERFACE_NUMBER = 4;

const AS = Uint8Array.from(Buffer.from('as'));
const INTERFACE_SIGN = Uint8Array.from(Buffer.from(' #'));
const SLASH = Uint8Array.from(Buffer.from('/'));

/** Writes `as15169`, in lower case because searches fold case. */
export const writeAsn: WritePart = (bytes, last, into) =>
  writeDecimal(numberBefore(bytes, last), into, writeAscii(AS, into, 0));

/** Writes the number of an interface, after its router's address: ` #3`. */
export const writeInterfaceNumber: WritePart = (bytes, last, into) =>
  writeDecimal(numberBefore(bytes, last), into, writeAscii(INTERFACE_SIGN, into, 0));

/** Returns the number in the four bytes that end at `last`. */
const numberBefore = (bytes: Uint8Array, last: number): number =>
  (((bytes[last - 3] as number) << 24) |
    ((bytes[last - 2] as number) << 16) |
    ((bytes[last - 1] as number) << 8) |
    (bytes[last] as number)) >>>
  0;

/** Returns the number of bytes of a part with an IPv6 address. */
export const longLength = ({ kind, tags }: WrittenPart): number => {
  const more = kind === 'subnet' ? 1 : kind === 'interface' ? INTERFACE_NUMBER : 0;
  return IPV6_BYTES + tags + more;
};

/**
 * Returns a writer for a part with an IPv6 address and its prefix length or interface number, if
 * any.
 */
export function longWriter(part: WrittenPart): WritePart {
  const { kind, short, tags } = part;
  const length = longLength(part);
  const plain = new Uint8Array(length - tags);
  return (bytes, last, into) => {
    const start = last - length + 1;
    for (let i = 0; i < plain.length; i += 1) {
      plain[i] = bytes[start + (i < short ? i : i + tags)] as number;
    }
    const at = writeIpv6(plain, into);
    if (kind === 'subnet') {
      return writeDecimal(plain[IPV6_BYTES] as number, into, writeAscii(SLASH, into, at));
    }
    if (kind !== 'interface') return at;
    const sign = writeAscii(INTERFACE_SIGN, into, at);
    return writeDecimal(numberBefore(plain, plain.length - 1), into, sign);
  };
}
