import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { BadLine } from '../../ingest/lines/bad-line.ts';
import { createLineSplitter } from '../../ingest/lines/line-splitter.ts';

/** The lines of a text that comes in blocks of this size; for a bad line, the reason. */
function split(text: string | Buffer, blockBytes: number, maxBytes = 10): string[] {
  const bytes = Buffer.from(text);
  const splitter = createLineSplitter(maxBytes);
  const lines = [];
  for (let at = 0; at < bytes.length; at += blockBytes) {
    lines.push(...splitter.push(bytes.subarray(at, at + blockBytes)));
  }
  lines.push(...splitter.end());
  return lines.map((line) => (line instanceof BadLine ? `! ${line.message}` : line));
}

const TOO_LONG = '! it must be at most 10 bytes long';
const NO_UTF8 = '! it must be UTF-8 text';

describe.each([1, 2, 3, 7, 1000])('lines that come in blocks of %d bytes', (blockBytes) => {
  it.each<[string, string | Buffer, string[]]>([
    ['nothing', '', []],
    ['one line without an end', 'abc', ['abc']],
    ['one line with an end', 'abc\n', ['abc']],
    ['empty lines', '\n\na\n\n', ['', '', 'a', '']],
    ['lines that end in CRLF', 'a\r\nb\r\nc', ['a', 'b', 'c']],
    ['a byte order mark', '\uFEFFa\n\uFEFFb\n', ['a', '\uFEFFb']],
    ['characters of several bytes', 'äöü\n€\n😀', ['äöü', '€', '😀']],
    ['a line of the longest length', '0123456789\nx\n', ['0123456789', 'x']],
    ['a line one byte longer', '01234567890\nx\n', [TOO_LONG, 'x']],
    ['a long last line', 'x\n01234567890', ['x', TOO_LONG]],
    ['a line that is too long in bytes, but not in characters', 'ääääää\nx', [TOO_LONG, 'x']],
    ['a very long line', `a\n${'x'.repeat(5000)}\nb\n`, ['a', TOO_LONG, 'b']],
    [
      'a line that is not UTF-8',
      Buffer.from([0x61, 0x0a, 0xff, 0xfe, 0x0a, 0x62, 0x0a]),
      ['a', NO_UTF8, 'b'],
    ],
  ])('%s', (_, text, expected) => {
    expect(split(text, blockBytes)).toEqual(expected);
  });
});

describe('text in lines', () => {
  it('does not depend on how it is cut into blocks', () => {
    const line = fc.string({ unit: fc.constantFrom('a', 'ä', '€', '😀', '\r', ''), maxLength: 8 });
    fc.assert(
      fc.property(fc.array(line), fc.integer({ min: 1, max: 9 }), (lines, blockBytes) => {
        const text = lines.join('\n');
        expect(split(text, blockBytes)).toEqual(split(text, 10_000));
      }),
    );
  });
});
