import { joinCrossKey } from '../domain/keys/cross-key.ts';
import type { KeyText } from '../domain/keys/key-text.ts';

/** A key as an import brings it: its raw form, and of a cross-key the parts in order. */
export type ImportKey = { readonly text: string; readonly parts: readonly KeyText[] | null };

export const simpleKey = (text: KeyText): ImportKey => ({ text, parts: null });

export const crossKey = (parts: readonly KeyText[]): ImportKey => ({
  text: joinCrossKey(parts),
  parts,
});
