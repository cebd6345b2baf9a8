import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { projectRoot } from '../../db/project-root.ts';
import {
  formatHelp,
  type HelpPage,
  MEANINGS,
  parseHelp,
} from '../../web/src/data/help/help-pages.ts';
import { createHelpSearch } from '../../web/src/data/help/help-search.ts';

const section = (title: string, html: string, depth = 2) => ({
  id: title.toLowerCase(),
  depth,
  title,
  html,
});

const PAGES: readonly HelpPage[] = [
  {
    path: 'how-to/alerts.md',
    title: 'Alerts',
    sections: [
      section('Alerts', 'A rule watches a group.', 1),
      section('Silence', 'A silence holds messages back. Rules go on.'),
    ],
  },
  {
    path: 'explanation/words.md',
    title: 'Words',
    sections: [section('Words', '', 1), section('Rule', `${'x '.repeat(80)}It is a rule (!).`)],
  },
];

const search = createHelpSearch(PAGES, (html) => html);

const titles = (query: string) => search(query).map(({ section: title }) => title);

describe('the search of the help', () => {
  it('finds sections that have all the words, those with a word in the title first', () => {
    expect(titles('rule')).toEqual(['Rule', 'Alerts', 'Silence']);
    expect(titles('rules silence')).toEqual(['Silence']);
    expect(titles('nothing of it')).toEqual([]);
  });

  it('finds the beginning of a word, and a word with a mistake', () => {
    expect(titles('mess')).toEqual(['Silence']);
    expect(titles('mesages')).toEqual(['Silence']);
  });

  it('takes any text', () => {
    expect(titles('(rule) [*')).toEqual(['Rule', 'Alerts', 'Silence']);
    expect(titles('\\')).toEqual([]);
  });

  it('shows the text around the first word that it found, and leads there', () => {
    const [hit] = search('rule');
    expect(hit?.place).toEqual({ path: 'explanation/words.md', section: 'rule' });
    expect(hit?.excerpt.map(({ text }) => text).join('')).toMatch(
      /^… (x )+It is a rule \(!\)\. …$/,
    );
    expect(hit?.excerpt.filter(({ isFound }) => isFound)).toEqual([
      { text: 'rule', isFound: true },
    ]);
    expect(search('watches')[0]?.place).toEqual({ path: 'how-to/alerts.md', section: null });
  });
});

it('explains every word that the page links to', async () => {
  const text = await readFile(join(projectRoot(), 'docs/explanation/words.md'), 'utf8');
  const headings = [...text.matchAll(/^### (.+)$/gm)].map(([, title = '']) =>
    title.toLowerCase().replaceAll(' ', '-'),
  );
  expect(headings).toEqual(expect.arrayContaining(Object.keys(MEANINGS)));
});

describe('the place of the help in an address', () => {
  it.each([
    ['#help=how-to/alerts.md:silence', { path: 'how-to/alerts.md', section: 'silence' }],
    ['#help=how-to/alerts.md', { path: 'how-to/alerts.md', section: null }],
    ['#help=', null],
  ])('%s', (hash, place) => {
    expect(parseHelp(hash)).toEqual(place);
    expect(formatHelp(place)).toBe(hash);
  });

  it('is not in other fragments', () => {
    expect(['', '#main', '#helpful'].map(parseHelp)).toEqual([undefined, undefined, undefined]);
    expect(parseHelp('#help')).toBe(null);
  });
});
