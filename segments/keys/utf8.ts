const WELL_FORMED = 0;
export const ILL_FORMED = 1;
export const WITH_CONTROL = 2;

/**
 * Checks whether bytes are UTF-8 (The Unicode Standard, table 3-7) and, if so, whether they include
 * a control character from U+0080 to U+009F. The caller finds those of ASCII.
 */
export function checkUtf8(bytes: Uint8Array, from: number, to: number): number {
  let at = from;
  let result = WELL_FORMED;
  while (at < to) {
    const first = bytes[at] as number;
    if (first < 0x80) {
      at += 1;
      continue;
    }
    const length = lengthAfter(first);
    if (length === 0 || at + length > to) return ILL_FORMED;
    const second = bytes[at + 1] as number;
    if (second < minSecond(first) || second > maxSecond(first)) return ILL_FORMED;
    for (let i = 2; i < length; i += 1) {
      if (((bytes[at + i] as number) & 0xc0) !== 0x80) return ILL_FORMED;
    }
    if (first === 0xc2 && second < 0xa0) result = WITH_CONTROL;
    at += length;
  }
  return result;
}

/** Returns the number of bytes of the character that begins with this one; 0 if none does. */
function lengthAfter(first: number): number {
  if (first < 0xc2 || first > 0xf4) return 0;
  if (first < 0xe0) return 2;
  return first < 0xf0 ? 3 : 4;
}

/** Returns the smallest valid second byte. Below it, the character would have a shorter form. */
function minSecond(first: number): number {
  if (first === 0xe0) return 0xa0;
  return first === 0xf0 ? 0x90 : 0x80;
}

/**
 * Returns the largest valid second byte. Above it, the character would be a surrogate, or beyond
 * U+10FFFF.
 */
function maxSecond(first: number): number {
  if (first === 0xed) return 0x9f;
  return first === 0xf4 ? 0x8f : 0xbf;
}
