import { type Function as FunctionNode, parseSync, Visitor } from 'oxc-parser';
import { describe, expect, it } from 'vitest';
import { groupBy } from '../../domain/group-by.ts';
import { readSources } from './source-files.ts';

const FILE_LINES = 400;
const FUNCTION_LINES = 70;
const COLUMNS = 100;
const FOLDER_FILES = 20;

/** Where folders are rooms by stage of the work. */
const ROOMS = /^(db|ingest|keeping|resolvers\/loaders|segments|store|topk)(\/|$)/;

// What is generated is read by nobody.
const code = [...readSources(), ...readSources(['reference'])].filter(
  ({ path }) => !path.startsWith('web/generated/'),
);
const tests = readSources(['test']);

const lines = (text: string): string[] => text.trimEnd().split('\n');

describe('the limits of size', () => {
  it(`keep every file within ${FILE_LINES} lines`, () => {
    const long = [...code, ...tests].filter(({ text }) => lines(text).length > FILE_LINES);
    expect(long.map(({ path, text }) => `${path}: ${lines(text).length}`)).toEqual([]);
  });

  it(`keep every function within ${FUNCTION_LINES} lines`, () => {
    const long = code.flatMap(({ path, text }) =>
      functionLengths(path, text)
        .filter(({ length }) => length > FUNCTION_LINES)
        .map(({ line, length }) => `${path}:${line} has ${length} lines`),
    );
    expect(long).toEqual([]);
  });

  it(`keep every line within ${COLUMNS} columns, but for a text that has no place to break`, () => {
    const wide = code.flatMap(({ path, text }) =>
      lines(text).flatMap((line, index) =>
        line.length > COLUMNS && !/['"`]/.test(line) ? [`${path}:${index + 1}`] : [],
      ),
    );
    expect(wide).toEqual([]);
  });

  it(`keep the folders of the store, from import to kernel, within ${FOLDER_FILES} files`, () => {
    const files = groupBy(code, ({ path }) => path.slice(0, path.lastIndexOf('/')));
    const full = [...files].filter(
      ([folder, { length }]) => ROOMS.test(folder) && length > FOLDER_FILES,
    );
    expect(full.map(([folder, { length }]) => `${folder}: ${length}`)).toEqual([]);
  });

  it('name files in kebab-case, and none after nothing in particular', () => {
    const odd = code.filter(({ path }) => {
      const name = path.split('/').at(-1) ?? '';
      return (
        !/^[a-z0-9]+(-[a-z0-9]+)*\.tsx?$/.test(name) || /^(utils|helpers|common|misc)\b/.test(name)
      );
    });
    expect(odd.map(({ path }) => path)).toEqual([]);
  });
});

/** Where each function of the file begins, and its length from first to last line. */
function functionLengths(path: string, text: string): { line: number; length: number }[] {
  const found: { line: number; length: number }[] = [];
  const measure = ({ start, end }: Pick<FunctionNode, 'start' | 'end'>): void => {
    found.push({
      line: text.slice(0, start).split('\n').length,
      length: text.slice(start, end).split('\n').length,
    });
  };
  new Visitor({
    FunctionDeclaration: measure,
    FunctionExpression: measure,
    ArrowFunctionExpression: measure,
  }).visit(parseSync(path, text).program);
  return found;
}

describe('the measure of functions', () => {
  it('counts from the first line to the last', () => {
    const text = 'const a = 1;\nfunction b() {\n  return () => {\n    a;\n  };\n}\n';
    expect(functionLengths('b.ts', text)).toEqual([
      { line: 2, length: 5 },
      { line: 3, length: 3 },
    ]);
  });
});
