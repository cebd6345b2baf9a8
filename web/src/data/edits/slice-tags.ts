/** Tags that say where a slice is; users do not set them. */
const PLACES: ReadonlySet<string> = new Set(['primary', 'archive']);

export const ownTags = (tags: readonly string[]): readonly string[] =>
  tags.filter((tag) => !PLACES.has(tag));

/** Returns tags as the text of a field: separated by commas, and quoted if they have one. */
export const tagsText = (tags: readonly string[]): string =>
  tags.map((tag) => (/[,"]/.test(tag) ? `"${tag.replaceAll('"', '""')}"` : tag)).join(', ');

/** A tag in quotes, in which two quotes stand for one; or a tag without a comma. */
const TAG = /\s*(?:"((?:[^"]|"")*)"\s*(?=,|$)|([^,]*))(?:,|$)/g;

/** Parses the tags of a field, separated by commas; each once. */
export function parseTags(text: string): readonly string[] {
  const tags = [...text.matchAll(TAG)].map(([, quoted, plain = '']) =>
    (quoted?.replaceAll('""', '"') ?? plain).trim(),
  );
  return [...new Set(tags.filter((tag) => tag !== ''))];
}
