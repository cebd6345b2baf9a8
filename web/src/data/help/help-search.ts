import MiniSearch from 'minisearch';
import type { HelpPage, HelpPlace } from './help-pages.ts';

export type HelpHit = {
  readonly place: HelpPlace;
  readonly page: string;
  readonly section: string;
  /** The text around the first word that was found, and where in it such words are. */
  readonly excerpt: readonly { readonly text: string; readonly isFound: boolean }[];
};

type Entry = {
  readonly id: string;
  readonly page: HelpPage;
  readonly index: number;
  readonly title: string;
  readonly words: string;
};

/** More would not be read: who does not find it among these uses other words. */
const MOST_HITS = 20;

/** Characters of an excerpt before and after the first word that was found. */
const AROUND = { before: 60, after: 140 } as const;

/** Returns a search in the titles and texts of all sections. */
export function createHelpSearch(
  pages: readonly HelpPage[],
  textOf: (html: string) => string,
): (query: string) => readonly HelpHit[] {
  const entries = pages.flatMap((page) =>
    page.sections.map(
      ({ title, html, id }, index): Entry => ({
        id: `${page.path}:${id}`,
        page,
        index,
        title: index === 0 ? title : `${title} ${page.title}`,
        words: textOf(html),
      }),
    ),
  );
  const byId = new Map(entries.map((entry) => [entry.id, entry]));
  const search = new MiniSearch<Entry>({ fields: ['title', 'words'] });
  search.addAll(entries);
  return (query) => {
    const options = { prefix: true, fuzzy: 0.2, boost: { title: 3 }, combineWith: 'AND' } as const;
    const found = search.search(query, options);
    return found.slice(0, MOST_HITS).flatMap(({ id, terms }) => {
      const entry = byId.get(id);
      return entry ? [hitOf(entry, terms)] : [];
    });
  };
}

function hitOf({ page, index, words }: Entry, terms: readonly string[]): HelpHit {
  const section = page.sections[index];
  const place = { path: page.path, section: index === 0 ? null : (section?.id ?? null) };
  const shown = { place, page: page.title, section: section?.title ?? '' };
  return { ...shown, excerpt: excerptOf(words, terms) };
}

function excerptOf(words: string, terms: readonly string[]): HelpHit['excerpt'] {
  // Terms are words of the index, in lower case: the longest match is shown.
  const pattern = [...terms]
    .sort((a, b) => b.length - a.length)
    .map((term) => term.replaceAll(/[^\p{L}\p{N}]/gu, '.'))
    .join('|');
  const found = new RegExp(`(${pattern})`, 'giu');
  const at = words.search(found);
  const from = Math.max(0, at - AROUND.before);
  const start = from === 0 ? 0 : words.indexOf(' ', from) + 1;
  const part = words.slice(start, Math.max(at, 0) + AROUND.after).trim();
  // Every second part is what the group of the pattern caught.
  const parts = part.split(found).map((text, i) => ({ text, isFound: i % 2 === 1 }));
  const cut = { text: ' …', isFound: false };
  return [...(start > 0 ? [{ text: '… ', isFound: false }] : []), ...parts, cut];
}
