import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { projectRoot } from '../../db/project-root.ts';

/** Paths in backticks that name a file or, with a slash at the end, a folder. */
const namedPaths = (text: string): string[] =>
  [...text.matchAll(/`([\w.-]+(?:\/[\w.-]+)*\/?)`/g)]
    .map(([, path]) => path as string)
    .filter((path) => path.includes('/') || /\.(ts|md|mjs)$/.test(path));

const root = projectRoot();

const missingFrom = (paths: readonly string[]): string[] =>
  paths.filter((path) => !existsSync(join(root, path)));

describe('the files that CONTRIBUTING.md names', () => {
  const named = namedPaths(readFileSync(join(root, 'CONTRIBUTING.md'), 'utf8'));

  it('are many', () => {
    expect(named.length).toBeGreaterThan(40);
  });

  it('all exist', () => {
    expect(missingFrom(named)).toEqual([]);
  });

  it('would be reported if they were missing', () => {
    expect(missingFrom(namedPaths('`server/no-such-file.ts` and `schema/`'))).toEqual([
      'server/no-such-file.ts',
    ]);
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
