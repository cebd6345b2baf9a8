/**
 * How the keys of one kind are written (decisions, section 7). Parsers answer with the canonical
 * raw key, or null when the text is no such key.
 */
export type KeyForm = {
  readonly parseRaw: (text: string) => string | null;
  readonly parseReadable: (text: string) => string | null;
  /** Null when `key` is not a raw key of this kind. */
  readonly formatReadable: (key: string) => string | null;
};
