import { parseSync, Visitor } from 'oxc-parser';
import { describe, expect, it } from 'vitest';
import { readSources } from './source-files.ts';

const code = [...readSources(), ...readSources(['reference', 'bench', 'test'])].filter(
  ({ path }) => !/^(web\/generated|bench\/dist)\//.test(path),
);

describe('code that is written out', () => {
  it('spreads no object literal, and destructures no array literal, to save a line', () => {
    expect(code.flatMap(({ path, text }) => squeezed(path, text))).toEqual([]);
  });

  it('is distinguished from code that is not', () => {
    const text = 'const a = { ...{ b, c } };\nconst [d, e] = [1, 2];\nconst f = { ...g };\n';
    expect(squeezed('a.ts', text)).toEqual([
      'a.ts:1 spreads an object literal',
      'a.ts:2 destructures an array literal',
    ]);
  });
});

/** Finds the places where lines were saved that way. */
function squeezed(path: string, text: string): string[] {
  const found: string[] = [];
  const note = (start: number, what: string): void => {
    found.push(`${path}:${text.slice(0, start).split('\n').length} ${what}`);
  };
  new Visitor({
    SpreadElement({ start, argument }) {
      if (argument.type === 'ObjectExpression') note(start, 'spreads an object literal');
    },
    VariableDeclarator({ start, id, init }) {
      if (id.type === 'ArrayPattern' && init?.type === 'ArrayExpression') {
        note(start, 'destructures an array literal');
      }
    },
  }).visit(parseSync(path, text).program);
  return found;
}
