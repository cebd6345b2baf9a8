/**
 * How the keys of one kind are written (decisions, section 7). Parsers return the canonical raw
 * key, or null if the text is not such a key.
 */
export type KeyForm = {
  readonly parseRaw: (text: string) => string | null;
  readonly parseReadable: (text: string) => string | null;
  /** Null when `key` is not a raw key of this kind. */
  readonly formatReadable: (key: string) => string | null;
};
