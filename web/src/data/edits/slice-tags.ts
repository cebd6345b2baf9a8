/** Tags that say where a slice is; users do not set them. */
const PLACES: ReadonlySet<string> = new Set(['primary', 'archive']);

export const ownTags = (tags: readonly string[]): readonly string[] =>
  tags.filter((tag) => !PLACES.has(tag));

/** Parses the tags of a field, separated by commas; each once. */
export const parseTags = (text: string): readonly string[] => [
  ...new Set(
    text
      .split(',')
      .map((tag) => tag.trim())
      .filter((tag) => tag !== ''),
  ),
];
