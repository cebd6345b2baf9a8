import { joinCrossKey } from '../domain/keys/cross-key.ts';
import type { KeyText } from '../domain/keys/key-text.ts';

/** A key of an import: its raw form, and the parts of a cross-key in order. */
export type ImportKey = { readonly text: string; readonly parts: readonly KeyText[] | null };

export const simpleKey = (text: KeyText): ImportKey => ({ text, parts: null });

export const crossKey = (parts: readonly KeyText[]): ImportKey => ({
  text: joinCrossKey(parts),
  parts,
});
