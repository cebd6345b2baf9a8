import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join, sep } from 'node:path';
import { describe, expect, it } from 'vitest';
import { projectRoot } from '../../db/project-root.ts';

const root = projectRoot();

const NOT_OURS = /(^|\/)(node_modules|dist|\.\w[\w-]*)(\/|$)/;

/** The files and folders of the project, as paths from its root with slashes. */
const FILES = readdirSync(root)
  .filter((name) => !NOT_OURS.test(name))
  .flatMap((name) => [name, ...filesBelow(name)]);

const FOLDERS = new Set(FILES.flatMap((path) => (path.includes('/') ? [path.split('/')[0]] : [])));

function filesBelow(folder: string): string[] {
  if (!statSync(join(root, folder)).isDirectory()) return [];
  return readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
    .map((name) => `${folder}/${name.split(sep).join('/')}`)
    .filter((path) => !NOT_OURS.test(path));
}

/** Paths in backticks of folders of the project, and of files of code, also without their folder. */
const namedPaths = (text: string): string[] =>
  [...text.matchAll(/`([\w.-]+(?:\/[\w.-]+)*\/?)`/g)]
    .map(([, path]) => path as string)
    .filter((path) => FOLDERS.has(path.split('/')[0] ?? '') || /\.(tsx?|mjs|sql)$/.test(path));

const missingFrom = (paths: readonly string[]): string[] =>
  paths.filter((path) => !FILES.some((file) => `/${file}`.endsWith(`/${path.replace(/\/$/, '')}`)));

/** The pages that say where something is: they and not the code would be out of date. */
const PAGES = FILES.filter(
  (file) =>
    /^(ARCHITECTURE|CONTRIBUTING)\.md$|^docs\/adr\/.*\.md$/.test(file) ||
    /^(?!bench|docs|examples).*\/README\.md$/.test(file),
);

describe.each(PAGES)('the files that %s names', (page) => {
  it('all exist', () => {
    expect(missingFrom(namedPaths(readFileSync(join(root, page), 'utf8')))).toEqual([]);
  });
});

describe('the search for names of files', () => {
  it('finds many in CONTRIBUTING.md', () => {
    const named = namedPaths(readFileSync(join(root, 'CONTRIBUTING.md'), 'utf8'));
    expect(named.length).toBeGreaterThan(40);
  });

  it('reports those that are missing', () => {
    const text = '`server/no-such-file.ts`, `no-such-file.ts`, `schema/` and `limits.ts`';
    expect(missingFrom(namedPaths(text))).toEqual(['server/no-such-file.ts', 'no-such-file.ts']);
  });
});

describe('the folders that CONTRIBUTING.md says to test', () => {
  it('all exist', () => {
    const text = readFileSync(join(root, 'CONTRIBUTING.md'), 'utf8');
    const folders = [...text.matchAll(/vitest run ([\w/. -]+)`/g)].flatMap(([, names = '']) =>
      names.split(' '),
    );
    expect(folders.length).toBeGreaterThan(12);
    expect(missingFrom(folders)).toEqual([]);
  });
});
