import { type Function as FunctionNode, parseSync, Visitor } from 'oxc-parser';
import { describe, expect, it } from 'vitest';
import { readSources } from './source-files.ts';

const FILE_LINES = 400;

/** Most functions have far fewer than 25; the loops of decoders and merges have the most. */
const FUNCTION_STATEMENTS = 35;
const COLUMNS = 100;

// Nobody reads generated code.
const code = [...readSources(), ...readSources(['reference'])].filter(
  ({ path }) => !path.startsWith('web/generated/'),
);
const tests = readSources(['test']);

const lines = (text: string): string[] => text.trimEnd().split('\n');

describe('the size limits', () => {
  it(`keep every file within ${FILE_LINES} lines`, () => {
    const long = [...code, ...tests].filter(({ text }) => lines(text).length > FILE_LINES);
    expect(long.map(({ path, text }) => `${path}: ${lines(text).length}`)).toEqual([]);
  });

  // Statements, not lines: otherwise people would squeeze lines to meet the limit.
  it(`keep every function within ${FUNCTION_STATEMENTS} statements`, () => {
    const long = code.flatMap(({ path, text }) =>
      functionSizes(path, text)
        .filter(({ statements }) => statements > FUNCTION_STATEMENTS)
        .map(({ line, statements }) => `${path}:${line} has ${statements} statements`),
    );
    expect(long).toEqual([]);
  });

  it(`keep every line within ${COLUMNS} columns, except lines with a string`, () => {
    const wide = code.flatMap(({ path, text }) =>
      lines(text).flatMap((line, index) =>
        line.length > COLUMNS && !/['"`]/.test(line) ? [`${path}:${index + 1}`] : [],
      ),
    );
    expect(wide).toEqual([]);
  });

  it('name files in kebab-case, and none `utils` or the like', () => {
    const odd = code.filter(({ path }) => {
      const name = path.split('/').at(-1) ?? '';
      return (
        !/^[a-z0-9]+(-[a-z0-9]+)*\.tsx?$/.test(name) || /^(utils|helpers|common|misc)\b/.test(name)
      );
    });
    expect(odd.map(({ path }) => path)).toEqual([]);
  });
});

/** Returns the line and the number of statements of each function, nested functions excluded. */
function functionSizes(path: string, text: string): { line: number; statements: number }[] {
  const found: { line: number; statements: number }[] = [];
  const open: { line: number; statements: number }[] = [];
  const enter = ({ start }: Pick<FunctionNode, 'start'>): void => {
    open.push({ line: text.slice(0, start).split('\n').length, statements: 0 });
  };
  const exit = (): void => {
    const ended = open.pop();
    if (ended) found.push(ended);
  };
  const count = (): void => {
    const innermost = open.at(-1);
    if (innermost) innermost.statements += 1;
  };
  new Visitor({
    FunctionDeclaration: enter,
    FunctionExpression: enter,
    ArrowFunctionExpression: enter,
    'FunctionDeclaration:exit': exit,
    'FunctionExpression:exit': exit,
    'ArrowFunctionExpression:exit': exit,
    ExpressionStatement: count,
    VariableDeclaration: count,
    ReturnStatement: count,
    IfStatement: count,
    ForStatement: count,
    ForOfStatement: count,
    ForInStatement: count,
    WhileStatement: count,
    DoWhileStatement: count,
    SwitchStatement: count,
    ThrowStatement: count,
    TryStatement: count,
    BreakStatement: count,
    ContinueStatement: count,
  }).visit(parseSync(path, text).program);
  return found;
}

describe('the size of a function', () => {
  it('is the number of its statements, without those of nested functions', () => {
    const text =
      'const a = 1;\nfunction b() {\n  const c = () => {\n    a;\n  };\n  return c;\n}\n';
    expect(functionSizes('b.ts', text)).toEqual([
      { line: 3, statements: 1 },
      { line: 2, statements: 2 },
    ]);
  });
});
