import { LIMITS } from '../../domain/limits.ts';
import { DamagedSegment } from '../damaged-segment.ts';
import {
  isBeforeAnother,
  type KeyScan,
  NO_KEY,
  type PartForm,
  type PartPosition,
  READ,
  UNDECIDED,
} from './part-form.ts';
import { checkUtf8, ILL_FORMED, WITH_CONTROL } from './utf8.ts';

export const BACKSLASH = 0x5c;
const SPACE = 0x20;
const DELETE = 0x7f;

/** Follows the separator before a part of bytes. No text contains a NUL. */
const CLOSED = 0;

/**
 * Returns the compact form of a part that is text: its UTF-8 bytes, unchanged if it is the whole
 * key, and escaped in a cross-key. If another part follows, the separator is kept, which preserves
 * the order. It differs from an escape, `\\`, in the character after it, because only the first
 * part can begin with a `\`. A part of bytes may begin with that byte, so before it a zero stands
 * for that character: digits sort before `\` too.
 */
export function textPart(position: PartPosition): PartForm {
  const isEscaped = position !== 'alone';
  const closing = closingBytes(position);
  const check = (bytes: Uint8Array, from: number, to: number) => {
    const end = measureText(bytes, from, to, isEscaped);
    if (end < 0 || !isClosed(position, bytes, end, to)) {
      throw new DamagedSegment('the bytes of a key are not text');
    }
    return end + closing;
  };
  const endOf = (bytes: Uint8Array, from: number, to: number) =>
    closing === 0 ? to : separatorAt(bytes, from, to) + closing;
  return {
    shapes: null,
    scan: (scan) => scanText(position, scan),
    check,
    endOf,
    format(bytes, from, to) {
      const length = to - from - closing;
      const text = Buffer.from(bytes.buffer, bytes.byteOffset + from, length).toString('utf8');
      return isEscaped ? text.replaceAll('\\\\', '\\') : text;
    },
  };
}

/** Returns the number of bytes that close the part. */
function closingBytes(position: PartPosition): number {
  if (!isBeforeAnother(position)) return 0;
  return position === 'beforeBytes' ? 2 : 1;
}

function isClosed(position: PartPosition, bytes: Uint8Array, end: number, to: number): boolean {
  switch (position) {
    case 'alone':
    case 'last':
      return end === to;
    case 'beforeText':
      return end < to;
    case 'beforeBytes':
      return end + 1 < to && bytes[end + 1] === CLOSED;
    default:
      return position satisfies never;
  }
}

function scanText(position: PartPosition, scan: KeyScan): number {
  const { source, at, to, into } = scan;
  const end = measureText(source, at, to, position !== 'alone');
  if (end < 0) return end;
  // Otherwise the bytes that close the part could take more room than the text.
  if (isBeforeAnother(position) && end + 1 >= to) return NO_KEY;
  let out = scan.out;
  for (let i = at; i < end; i += 1) {
    into[out] = source[i] as number;
    out += 1;
  }
  if (isBeforeAnother(position)) {
    into[out] = BACKSLASH;
    out += 1;
  }
  if (position === 'beforeBytes') {
    into[out] = CLOSED;
    out += 1;
  }
  scan.at = end;
  scan.out = out;
  return READ;
}

/**
 * Returns where the text that begins at `from` ends: at `to` or, if it is escaped, at the first
 * backslash that is not one of two. NO_KEY if it is not what domain/keys/key-text.ts allows (1 to
 * 512 bytes, an escape counted once, no control characters), UNDECIDED if it is not UTF-8.
 */
function measureText(bytes: Uint8Array, from: number, to: number, isEscaped: boolean): number {
  let at = from;
  let escapes = 0;
  let isAscii = true;
  for (; at < to; at += 1) {
    const byte = bytes[at] as number;
    if (byte === BACKSLASH && isEscaped) {
      if (at + 1 >= to || bytes[at + 1] !== BACKSLASH) break;
      escapes += 1;
      at += 1;
    } else if (byte < SPACE || byte === DELETE) return NO_KEY;
    else if (byte > DELETE) isAscii = false;
  }
  const length = at - from - escapes;
  if (length === 0 || length > LIMITS.textKeyBytes) return NO_KEY;
  if (isAscii) return at;
  const found = checkUtf8(bytes, from, at);
  if (found === WITH_CONTROL) return NO_KEY;
  return found === ILL_FORMED ? UNDECIDED : at;
}

/** Returns the backslash that ends an escaped text. The text is known to have one after it. */
function separatorAt(bytes: Uint8Array, from: number, to: number): number {
  let at = from;
  while (at < to) {
    if (bytes[at] !== BACKSLASH) at += 1;
    else if (bytes[at + 1] === BACKSLASH) at += 2;
    else break;
  }
  return at;
}
