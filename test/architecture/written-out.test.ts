import { parseSync, type Span, Visitor } from 'oxc-parser';
import { describe, expect, it } from 'vitest';
import { readSources } from './source-files.ts';

const code = [...readSources(), ...readSources(['reference', 'bench', 'test'])].filter(
  ({ path }) => !/^(web\/generated|bench\/dist)\//.test(path),
);

describe('code that is written out', () => {
  it('spreads no literal, and destructures no array literal, to save a line', () => {
    expect(code.flatMap(({ path, text }) => squeezed(path, text))).toEqual([]);
  });

  it('is distinguished from code that is not', () => {
    const text = [
      'const a = { ...{ b, c } };',
      'const [d, e] = [1, 2];',
      'const f = [...[1, 2], ...g];',
      '[d, e] = [2, 1];',
      '[d, e] = [e, d];',
      'const h = { ...g };',
      'type I = [...[string, string]];',
    ].join('\n');
    expect(squeezed('a.ts', text)).toEqual([
      'a.ts:1 spreads an object literal',
      'a.ts:2 destructures an array literal',
      'a.ts:3 spreads an array literal',
      'a.ts:4 destructures an array literal',
      'a.ts:7 spreads a tuple type',
    ]);
  });
});

/** Finds the places where lines were saved that way. */
function squeezed(path: string, text: string): string[] {
  const found: string[] = [];
  const note = (start: number, what: string): void => {
    found.push(`${path}:${text.slice(0, start).split('\n').length} ${what}`);
  };
  const textsOf = (elements: readonly (Span | null)[]): string =>
    elements.map((each) => each && text.slice(each.start, each.end)).join();
  new Visitor({
    SpreadElement({ start, argument }) {
      if (argument.type === 'ObjectExpression') note(start, 'spreads an object literal');
      if (argument.type === 'ArrayExpression') note(start, 'spreads an array literal');
    },
    TSRestType({ start, typeAnnotation }) {
      if (typeAnnotation.type === 'TSTupleType') note(start, 'spreads a tuple type');
    },
    VariableDeclarator({ start, id, init }) {
      if (id.type === 'ArrayPattern' && init?.type === 'ArrayExpression') {
        note(start, 'destructures an array literal');
      }
    },
    AssignmentExpression({ start, left, right }) {
      if (left.type !== 'ArrayPattern' || right.type !== 'ArrayExpression') return;
      // Two variables may exchange their values.
      const isExchange = textsOf(left.elements) === textsOf(right.elements.toReversed());
      if (!isExchange) note(start, 'destructures an array literal');
    },
  }).visit(parseSync(path, text).program);
  return found;
}
