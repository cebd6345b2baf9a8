import { LIMITS } from '../limits.ts';
import type { SimpleKeyKind } from './key-kind.ts';
import { type KeyText, parseKey, parseRawKey, parseReadableKey } from './key-text.ts';

const SEPARATOR = '\\';
const ESCAPED = '\\\\';

/**
 * Splits a cross-key into its unescaped parts: two or three, none empty; null for anything else.
 * Reads from left to right, so of three backslashes in a row the first two are one backslash within
 * a part (decision 31). Hence only the first part can begin with a backslash.
 */
export function splitCrossKey(text: string): string[] | null {
  const parts = [''];
  for (const [token] of text.matchAll(/\\\\|\\|[^\\]+/g)) {
    if (token === SEPARATOR) parts.push('');
    else parts.push(`${parts.pop()}${token === ESCAPED ? SEPARATOR : token}`);
  }
  return parts.length >= 2 && parts.length <= 3 && !parts.includes('') ? parts : null;
}

/** Joins parts to one text and doubles each backslash within a part (decision 31). */
export const joinCrossKey = (parts: readonly string[]): string =>
  parts.map((part) => part.replaceAll(SEPARATOR, ESCAPED)).join(SEPARATOR);

/**
 * Reads a key of a group in raw or in readable form; a cross-key has all parts in the same form.
 * `kinds`: those of its parts, or of the whole key. Returns the canonical form; null if the text
 * cannot be a key of the group.
 */
export function parseKeyOfKinds(kinds: readonly SimpleKeyKind[], text: string): string | null {
  const [kind, ...others] = kinds;
  if (kind === undefined) return null;
  if (others.length === 0) return parseKey(kind, text);
  const found = parseCrossKey(kinds, text) ?? parseCrossKey(kinds, text, parseReadableKey);
  return found?.key ?? null;
}

/**
 * Reads a cross-key of the given part kinds, each part in raw form unless `parsePart` reads another
 * form. Returns the key and its parts in canonical form; null if the text does not fit the kinds.
 */
export function parseCrossKey(
  kinds: readonly SimpleKeyKind[],
  text: string,
  parsePart: (kind: SimpleKeyKind, text: string) => KeyText | null = parseRawKey,
): { key: string; parts: KeyText[] } | null {
  const texts = splitCrossKey(text);
  if (texts?.length !== kinds.length) return null;
  const parts: KeyText[] = [];
  for (const [i, kind] of kinds.entries()) {
    const part = parsePart(kind, texts[i] ?? '');
    if (part === null) return null;
    parts.push(part);
  }
  const key = joinCrossKey(parts);
  return Buffer.byteLength(key) <= LIMITS.crossKeyBytes ? { key, parts } : null;
}
