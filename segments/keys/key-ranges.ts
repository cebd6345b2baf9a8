import { compareKeys as compareTexts } from '../../domain/keys/compare-keys.ts';
import type { KeyRange } from '../../domain/keys/key-range.ts';
import type { KeyCodec } from './key-codec.ts';
import { firstOrdinal, type KeyList, keyAt, type OrdinalRange, prefixRange } from './key-list.ts';
import { BACKSLASH } from './text-part.ts';

/** Returns the keys whose raw text is in a range of texts. Decodes at most 64 keys. */
export function textRange(list: KeyList, codec: KeyCodec, range: KeyRange): OrdinalRange {
  const firstFrom = (text: string): number =>
    firstOrdinal(list, (ordinal) => compareTexts(codec.decode(keyAt(list, ordinal)), text) >= 0);
  const from = firstFrom(range.from);
  return { from, to: Math.max(from, firstFrom(range.below)) };
}

/**
 * Returns the cross-keys whose first part has this raw text, as ordered and disjoint ranges. There
 * may be two if the next part is text as well: the separator and the first byte of an escape are
 * both `\`, so keys whose first part continues with a backslash lie between `a\A` and `a\z`.
 */
export function firstPartRanges(list: KeyList, codec: KeyCodec, text: string): OrdinalRange[] {
  const bytes = codec.encodePart(0, text);
  if (bytes === null) return [];
  const { from, to } = prefixRange(list, bytes);
  const isEscapable = codec.kinds[0] === 'text' && bytes.at(-1) === BACKSLASH;
  if (!isEscapable) return nonEmpty([{ from, to }]);
  const escaped = prefixRange(list, Uint8Array.of(...bytes, BACKSLASH));
  return nonEmpty([
    { from, to: escaped.from },
    { from: escaped.to, to },
  ]);
}

const nonEmpty = (ranges: readonly OrdinalRange[]): OrdinalRange[] =>
  ranges.filter(({ from, to }) => from < to);
