/** Bytes of an IPv6 address. */
const ADDRESS_BYTES = 16;

const code = (character: string): number => character.charCodeAt(0);

const COLON = code(':');
const ZERO = code('0');
const DIGITS = Uint8Array.from('0123456789abcdef', code);
const IPV4_MAPPED = Uint8Array.from('::ffff:', code);

/** Tens and ones digits of the numbers up to 99. */
const TENS = Uint8Array.from({ length: 100 }, (_, value) => ZERO + Math.floor(value / 10));
const ONES = Uint8Array.from({ length: 100 }, (_, value) => ZERO + (value % 10));

/** Writes a number of up to 32 bits from `at` on. Returns the position after it. */
export function writeDecimal(value: number, into: Uint8Array, at: number): number {
  let digits = 1;
  for (let bound = 10; bound <= value; bound *= 10) digits += 1;
  let rest = value;
  let i = at + digits;
  while (rest >= 10) {
    const hundreds = (rest / 100) >>> 0;
    const two = rest - 100 * hundreds;
    i -= 2;
    into[i] = TENS[two] as number;
    into[i + 1] = ONES[two] as number;
    rest = hundreds;
  }
  if (i > at) into[at] = ZERO + rest;
  return at + digits;
}

/** Writes ASCII text. Returns the position after it. */
export function writeAscii(text: Uint8Array, into: Uint8Array, at: number): number {
  for (let i = 0; i < text.length; i += 1) into[at + i] = text[i] as number;
  return at + text.length;
}

/**
 * Writes an IPv6 address of 16 bytes in the form of RFC 5952, an IPv4-mapped address with its
 * dotted part. Returns the length. The text is that of `formatAddress`, written fast enough for
 * millions of keys.
 */
export function writeIpv6(address: Uint8Array, into: Uint8Array): number {
  if (isIpv4Mapped(address)) {
    let at = writeAscii(IPV4_MAPPED, into, 0);
    for (let i = ADDRESS_BYTES - 4; i < ADDRESS_BYTES; i += 1) {
      at = writeDecimal(address[i] as number, into, at);
      into[at] = code('.');
      at += 1;
    }
    return at - 1;
  }
  return writeGroups(address, longestZeros(address), into);
}

function isIpv4Mapped(address: Uint8Array): boolean {
  for (let i = 0; i < 10; i += 1) if (address[i] !== 0) return false;
  return address[10] === 0xff && address[11] === 0xff;
}

type Groups = { readonly from: number; readonly to: number };

const NO_ZEROS: Groups = { from: -1, to: -1 };

/** Returns the first of the longest runs of zero groups, if there is one of at least two. */
function longestZeros(address: Uint8Array): Groups {
  let longest = NO_ZEROS;
  let from = 0;
  for (let group = 0; group < 8; group += 1) {
    if (groupAt(address, group) !== 0) {
      from = group + 1;
    } else if (group > from && group + 1 - from > longest.to - longest.from) {
      longest = { from, to: group + 1 };
    }
  }
  return longest;
}

const groupAt = (address: Uint8Array, group: number): number =>
  ((address[2 * group] as number) << 8) | (address[2 * group + 1] as number);

function writeGroups(address: Uint8Array, { from, to }: Groups, into: Uint8Array): number {
  let at = 0;
  for (let group = 0; group < 8; group += 1) {
    const isLeftOut = group >= from && group < to;
    // The second of the two colons belongs to the next group, if there is one.
    if (isLeftOut ? group === from : group > 0) at = writeColon(into, at);
    if (isLeftOut && group === 7) at = writeColon(into, at);
    if (!isLeftOut) at = writeHex(groupAt(address, group), into, at);
  }
  return at;
}

function writeColon(into: Uint8Array, at: number): number {
  into[at] = COLON;
  return at + 1;
}

/** Writes up to four digits, without leading zeros. */
function writeHex(value: number, into: Uint8Array, from: number): number {
  let at = from;
  for (let shift = 12; shift >= 0; shift -= 4) {
    if (shift > 0 && value >>> shift === 0) continue;
    into[at] = DIGITS[(value >>> shift) & 0xf] as number;
    at += 1;
  }
  return at;
}
