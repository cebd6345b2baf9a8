/** The specification's raw key: two-digit hexadecimal bytes with dots between them. */
export const hexBytesPattern = (count: number): RegExp =>
  new RegExp(`^[0-9A-F]{2}(?:\\.[0-9A-F]{2}){${count - 1}}$`, 'i');

/** Returns `text` in upper case if it matches, else null. */
export const upperIf = (pattern: RegExp, text: string): string | null =>
  pattern.test(text) ? text.toUpperCase() : null;

const HEX: readonly string[] = Array.from({ length: 256 }, (_, byte) =>
  byte.toString(16).padStart(2, '0').toUpperCase(),
);

export const formatHexBytes = (bytes: readonly number[]): string =>
  bytes.map((byte) => HEX[byte]).join('.');

/** Returns the bytes of a raw key that is known to consist of hexadecimal bytes. */
export const bytesOf = (key: string): number[] =>
  key.split('.').map((byte) => Number.parseInt(byte, 16));

/** The bytes of `value`, most significant first. */
export const bytesOfNumber = (value: number, count: number): number[] =>
  Array.from({ length: count }, (_, i) => Math.floor(value / 256 ** (count - 1 - i)) % 256);

export const numberOfBytes = (bytes: readonly number[]): number =>
  bytes.reduce((value, byte) => value * 256 + byte, 0);

const DECIMAL = /^(?:0|[1-9]\d*)$/;

/** A plain decimal number from 0 to `max`, without sign or leading zeros; else null. */
export function parseDecimal(text: string, max: number): number | null {
  if (!DECIMAL.test(text)) return null;
  const value = Number(text);
  return value <= max ? value : null;
}
