import { formatHexBytes } from '../../domain/keys/hex-bytes.ts';
import type { KeyScan } from './part-form.ts';

const NO_DIGIT = -1;

/** The value that each character adds to a byte as its first or second digit, in either case. */
const HIGH = new Int16Array(256).fill(NO_DIGIT);
const LOW = new Int16Array(256).fill(NO_DIGIT);
for (let value = 0; value < 16; value += 1) {
  const digit = value.toString(16);
  for (const code of [digit.charCodeAt(0), digit.toUpperCase().charCodeAt(0)]) {
    HIGH[code] = value * 16;
    LOW[code] = value;
  }
}

const DOT = 0x2e;

/**
 * Reads at most `max` two-digit bytes with dots between them and moves `scan.at` past them. The
 * bytes are written at `scan.out`, which is not moved. Returns their number, or 0 if anything is
 * wrong.
 */
export function scanHexBytes(scan: KeyScan, max: number): number {
  const { source, to, into, out } = scan;
  let at = scan.at;
  let count = 0;
  for (;;) {
    if (at + 2 > to) return 0;
    // −1 has all bits set, so a character that is not a digit makes the result negative.
    const byte = (HIGH[source[at] as number] as number) | (LOW[source[at + 1] as number] as number);
    if (byte < 0) return 0;
    into[out + count] = byte;
    count += 1;
    at += 2;
    if (count === max || at >= to || source[at] !== DOT) break;
    at += 1;
  }
  scan.at = at;
  return count;
}

const HEX: readonly string[] = Array.from({ length: 256 }, (_, byte) => formatHexBytes([byte]));

/** Formats at least one byte, as two digits each with dots between them. */
export function formatHex(bytes: Uint8Array, from: number, to: number): string {
  let text = HEX[bytes[from] as number] as string;
  for (let at = from + 1; at < to; at += 1) text += `.${HEX[bytes[at] as number]}`;
  return text;
}
