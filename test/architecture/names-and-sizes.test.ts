import { parseSync } from 'oxc-parser';
import { describe, expect, it } from 'vitest';
import { AMBIGUOUS_NAMES, SMALL_FILES } from './exceptions.ts';
import { readSources, type SourceFile } from './source-files.ts';

const SMALL_FILE_LINES = 25;

// The page is a program of its own, with names of its own.
const code = readSources().filter(({ path }) => !path.startsWith('web/'));

/** The exported names that several files define, sorted. */
function ambiguousNames(sources: readonly SourceFile[]): string[] {
  const files = new Map<string, Set<string>>();
  for (const { path, text } of sources) {
    for (const { entries } of parseSync(path, text).module.staticExports) {
      for (const { exportName, moduleRequest } of entries) {
        if (moduleRequest || exportName.name === null) continue;
        const defining = files.get(exportName.name) ?? new Set();
        files.set(exportName.name, defining.add(path));
      }
    }
  }
  return [...files]
    .filter(([, { size }]) => size > 1)
    .map(([name]) => name)
    .sort();
}

/** The short files that at most one other imports: a reader had rather find them in that file. */
function smallFiles(sources: readonly SourceFile[]): string[] {
  const importers = new Map<string, number>();
  for (const target of sources.flatMap(({ imports }) => [...new Set(imports)])) {
    importers.set(target, (importers.get(target) ?? 0) + 1);
  }
  return sources
    .filter(({ path, text }) => {
      const lines = text.trimEnd().split('\n').length;
      return lines <= SMALL_FILE_LINES && (importers.get(path) ?? 0) <= 1;
    })
    .map(({ path }) => path)
    .sort();
}

describe('a reader', () => {
  it('finds one definition of each exported name', () => {
    expect(ambiguousNames(code)).toEqual(AMBIGUOUS_NAMES);
  });

  it(`opens no file of ${SMALL_FILE_LINES} lines or fewer that only one other needs`, () => {
    expect(smallFiles(code)).toEqual(SMALL_FILES);
  });
});

const source = (path: string, text: string, imports: string[] = []): SourceFile => ({
  path,
  text,
  imports,
  packages: [],
});

describe('the search', () => {
  it('finds names that two files export', () => {
    const text = 'export const a = 1;\nexport type B = 2;\n';
    const files = [source('x.ts', text), source('y.ts', 'export function a() {}\n')];
    expect(ambiguousNames(files)).toEqual(['a']);
  });

  it('finds short files with one importer', () => {
    const files = [
      source('a.ts', 'a\n', ['b.ts', 'c.ts']),
      source('b.ts', 'b\n', ['c.ts', 'd.ts']),
      source('c.ts', 'c\n', ['a.ts']),
      source('d.ts', 'd\n'.repeat(SMALL_FILE_LINES + 1)),
    ];
    expect(smallFiles(files)).toEqual(['a.ts', 'b.ts']);
  });
});
