import { formatHelp, MEANINGS, type Word } from '../data/help/help-pages.ts';

type TermProps = { readonly word: Word; readonly children: string };

/** A word with its meaning. Tab passes it by: the help has all words in one place. */
export function Term({ word, children }: TermProps) {
  const place = { path: 'explanation/words.md', section: word };
  return (
    <a class="term" tabIndex={-1} href={formatHelp(place)} title={MEANINGS[word]}>
      {children}
    </a>
  );
}
