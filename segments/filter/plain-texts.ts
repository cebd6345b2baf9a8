import { joinCrossKey } from '../../domain/keys/cross-key.ts';
import { defaultLabel } from '../../domain/keys/default-label.ts';
import type { SimpleKeyKind } from '../../domain/keys/key-kind.ts';
import { formatReadable } from '../../domain/keys/key-text.ts';
import type { KeyCodec } from '../keys/key-codec.ts';

/** Labels given by users, by raw key. */
export type OwnLabels = {
  /** Labels of the keys themselves. */
  readonly keys: ReadonlyMap<string, string>;
  /** For cross-keys, by part: labels of the keys in the part's group. Empty for other keys. */
  readonly parts: readonly ReadonlyMap<string, string>[];
};

export const NO_LABELS: OwnLabels = { keys: new Map(), parts: [] };

/** Returns the raw parts of a compact cross-key, or the raw key itself. Errors: DamagedSegment. */
export function rawParts(codec: KeyCodec, key: Uint8Array): string[] {
  const ends = new Uint32Array(codec.kinds.length);
  codec.partEnds(key, 0, key.length, ends);
  return codec.kinds.map((_, i) => codec.decodePart(i, key.subarray(ends[i - 1] ?? 0, ends[i])));
}

const joined = (texts: readonly string[]): string =>
  texts.length === 1 ? (texts[0] ?? '') : joinCrossKey(texts);

/** Returns the readable form of a key (decisions 30 and 31). */
export const readableText = (kinds: readonly SimpleKeyKind[], parts: readonly string[]): string =>
  joined(parts.map((part, i) => formatReadable(kinds[i] ?? 'text', part)));

/**
 * Returns the label of the key or else the labels of its parts, each given, default, or readable
 * form.
 */
export function labelText(
  kinds: readonly SimpleKeyKind[],
  parts: readonly string[],
  own: OwnLabels,
): string {
  const given = own.keys.get(joined(parts));
  if (given !== undefined) return given;
  const labels = parts.map((part, i) => {
    const kind = kinds[i] ?? 'text';
    return own.parts[i]?.get(part) ?? defaultLabel(kind, part) ?? formatReadable(kind, part);
  });
  return joined(labels);
}
