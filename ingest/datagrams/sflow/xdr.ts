/** XDR (RFC 4506) as sFlow uses it. */

/** Number of bytes in a word, the unit of XDR. */
export const WORD = 4;

/** Where opaque data begins and ends, and where what follows it begins. */
export type Opaque = { readonly start: number; readonly end: number; readonly next: number };

/**
 * Returns where the opaque data of variable length is that begins at `at` with its length (RFC
 * 4506, section 4.10); null if it ends beyond `limit`. What follows begins at a multiple of four
 * bytes, but some exporters leave out the padding of what is last.
 */
export function readOpaque(bytes: Buffer, at: number, limit: number): Opaque | null {
  const start = at + WORD;
  if (start > limit) return null;
  const length = bytes.readUInt32BE(at);
  const end = start + length;
  if (end > limit) return null;
  return { start, end, next: start + Math.ceil(length / WORD) * WORD };
}
