import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Cell } from '../../../domain/text/csv-cell.ts';
import { textOf } from '../../../domain/text/long-text.ts';
import { AnswerWriter } from '../../../resolvers/answer-writer.ts';
import { writeCsv } from '../../../rest/csv/csv-text.ts';
import { toCsv } from '../../../web/src/export/csv.ts';
import { parseCsv } from '../../support/files/csv-parsers.ts';
import { FUZZ_CASES } from '../../support/random/fuzz-cases.ts';

async function csvText(rows: Iterable<readonly Cell[]>): Promise<string> {
  const { signal } = new AbortController();
  const writer = new AnswerWriter({ signal, onRendered: () => undefined });
  await writeCsv(writer, rows);
  return textOf(writer.end());
}

/** Both write tables: the service and the dashboard, which share no code. */
const WRITERS: readonly [string, (rows: readonly (readonly string[])[]) => Promise<string>][] = [
  ['the service', csvText],
  ['the dashboard', async (rows) => toCsv(rows)],
];

/** The characters that begin a formula, in their usual and in their fullwidth form. */
const FORMULA_STARTS = ['=', '+', '-', '@', '＝', '＋', '－', '＠'];

/** Characters that a parser or a spreadsheet might treat specially. */
const SPECIAL = [
  ...FORMULA_STARTS,
  '"',
  ',',
  ';',
  "'",
  '\r',
  '\n',
  '\r\n',
  '\t',
  '\v',
  '\f',
  '\\',
  '|',
  ' ',
  '\u0085',
  '\u00a0',
  '\u200b',
  '\u2028',
  '\u2029',
  '\ufeff',
];

const label = fc
  .array(fc.oneof(fc.constantFrom(...SPECIAL), fc.string({ unit: 'grapheme', maxLength: 3 })), {
    maxLength: 8,
  })
  .map((parts) => parts.join(''));

describe.each(WRITERS)('a table as CSV, written by %s', (_, write) => {
  it('is read back unchanged by strict parsers, whatever its texts contain', async () => {
    const table = fc.array(fc.array(label, { minLength: 3, maxLength: 3 }), { minLength: 1 });
    await fc.assert(
      fc.asyncProperty(table, async (rows) => {
        const read = parseCsv(await write(rows));
        expect(read.map((row) => row.map(withoutGuard))).toEqual(rows);
        for (const [y, row] of rows.entries()) {
          for (const [x, text] of row.entries()) {
            // The guard adds one apostrophe at most, and nothing else is added.
            expect([text, `'${text}`]).toContain(read[y]?.[x]);
          }
        }
      }),
      { numRuns: 4 * FUZZ_CASES },
    );
  });

  it('gives a spreadsheet no formula, whatever precedes it in the text', async () => {
    const unseen = fc.constantFrom('', ' ', '\t', '\r\n', '\u00a0', '\ufeff', '\u200b', '\0 ');
    const formula = fc
      .tuple(unseen, fc.constantFrom(...FORMULA_STARTS), label)
      .map((parts) => parts.join(''));
    const control = fc
      .tuple(fc.constantFrom('\t', '\r', '\n'), label)
      .map((parts) => parts.join(''));
    await fc.assert(
      fc.asyncProperty(fc.oneof(formula, control), async (text) => {
        // The dashboard writes integers that are too large for a number as their digits.
        fc.pre(!isNumber(text));
        expect(parseCsv(await write([['x', text, 'y']]))[0]?.[1]).toBe(`'${text}`);
      }),
    );
  });

  it.each([
    ['plain', 'plain'],
    ['a "b"', '"a ""b"""'],
    ['a,b', '"a,b"'],
    ['a\nb', '"a\nb"'],
    ['a\rb', '"a\rb"'],
    ['a\r\nb', '"a\r\nb"'],
    ['a\n=1+1', '"a\n=1+1"'],
    ['\n=1+1', '"\'\n=1+1"'],
    ['=1+1', "'=1+1"],
    [' =1+1', "' =1+1"],
    ["'=1+1", "''=1+1"],
    ["''-1", "'''-1"],
    [' a ', '" a "'],
    ['a=b', 'a=b'],
    ["'quoted", "'quoted"],
    ['x\u2028y', '"x\u2028y"'],
    ['', ''],
  ])('writes %j as %j', async (text, cell) => {
    expect(await write([['a', text, 'b']])).toBe(`a,${cell},b\r\n`);
  });
});

/** Reads a cell as docs/reference/rest.md says. */
const withoutGuard = (text: string): string =>
  /^'+(?:[\t\r\n]|[\s\p{Cc}\p{Cf}]*[=+\-@＝＋－＠])/u.test(text) ? text.slice(1) : text;

const isNumber = (text: string): boolean => /^-?\d+(\.\d+)?$/.test(text);

it('the service and the dashboard guard the same texts', async () => {
  await fc.assert(
    fc.asyncProperty(label, async (text) => {
      fc.pre(!isNumber(text));
      expect(await csvText([['x', text]])).toBe(toCsv([['x', text]]));
    }),
  );
});

describe('numbers', () => {
  it('are written in full, and a minus sign needs no guard', async () => {
    const row: Cell[] = [-1, 1.5, -(2n ** 70n), null, 0];
    expect(await csvText([row])).toBe('-1,1.5,-1180591620717411303424,,0\r\n');
  });
});
