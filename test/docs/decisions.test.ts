import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { projectRoot } from '../../db/project-root.ts';
import { LAYER_FOLDERS, readSources } from '../architecture/source-files.ts';
import { readPages } from './pages.ts';

const page = readFileSync(join(projectRoot(), 'docs/decisions.md'), 'utf8');
const anchors = [...page.matchAll(/<a id="([^"]+)"><\/a>/g)].map(([, id = '']) => id);

const folders = new Set(LAYER_FOLDERS.map((folder) => folder.split('/')[0] ?? ''));
const sources = readSources([...folders, 'test', 'bench', 'build']);

/** The text on one line, as comments wrap, and so do the citations in them. */
const unwrapped = (text: string): string => text.replaceAll(/\s*\n\s*(\*|\/\/|>)?\s*/g, ' ');

const texts = [
  ...sources.map(({ path, text }) => ({ path, text: unwrapped(text) })),
  ...readPages()
    .filter(({ path }) => path !== 'docs/decisions.md')
    .map(({ path, text }) => ({ path, text: unwrapped(text) })),
];

type Citation = { readonly path: string; readonly anchor: string };

const cited = (pattern: RegExp, anchorsIn: (match: RegExpMatchArray) => string[]): Citation[] =>
  texts.flatMap(({ path, text }) =>
    [...text.matchAll(pattern)].flatMap((match) =>
      anchorsIn(match).map((anchor) => ({ path, anchor })),
    ),
  );

/** `decision 24`, `decisions 2 to 4`, `decisions 18 and 23 to 28`. */
const NUMBERS = /\bdecisions? (\d+(?:(?:, | and | to )\d+)*)/gi;
const SECTIONS = /\bdecisions, section (\d+)/gi;
const OPERATIONS = /\boperations, "([^"]+)"/gi;

const numbered = cited(NUMBERS, ([, list = '']) =>
  [...list.matchAll(/\d+/g)].map(([number]) => `decision-${number}`),
);
const sections = cited(SECTIONS, ([, number]) => [`section-${number}`]);
const operations = cited(OPERATIONS, ([, title = '']) => [
  `operations-${title.toLowerCase().replaceAll(/[^a-z0-9]+/g, '-')}`,
]);

const unresolved = (citations: readonly Citation[]): string[] =>
  citations
    .filter(({ anchor }) => !anchors.includes(anchor))
    .map(({ path, anchor }) => `${path}: ${anchor}`);

describe('docs/decisions.md', () => {
  it('has each decision once, in order', () => {
    const decisions = anchors.filter((anchor) => anchor.startsWith('decision-'));
    expect(decisions).toEqual(Array.from({ length: 31 }, (_, i) => `decision-${i + 1}`));
    expect(new Set(anchors).size).toBe(anchors.length);
  });

  it('has every decision that the code, the tests and the pages cite', () => {
    expect(numbered.length).toBeGreaterThan(100);
    expect(unresolved(numbered)).toEqual([]);
  });

  it('has every section and every rule of operations that they cite', () => {
    expect(sections.length).toBeGreaterThan(10);
    expect(operations.length).toBeGreaterThan(10);
    expect(unresolved([...sections, ...operations])).toEqual([]);
  });

  it('is cited in no other form', () => {
    const loose = texts.flatMap(({ path, text }) =>
      [...text.matchAll(/\((?:decisions|operations), (?!section \d|")[^)]{0,40}/g)].map(
        ([found]) => `${path}: ${found}`,
      ),
    );
    expect(loose).toEqual([]);
  });
});
