import fc from 'fast-check';
import { expect, it } from 'vitest';
import { jsonText } from '../../../schema/compiled/json-text.ts';
import { anyText } from '../../support/random/any-text.ts';

it.each([
  ['no characters', ''],
  ['quotes and backslashes', '"\\'],
  ['control characters', '\0\b\n\u001f\u007f'],
  ['line separators', '\u2028\u2029'],
  ['characters beyond the first 65,536', '😀 \u{10ffff}'],
  ['lone surrogates, which are not characters', '\ud83d \ude00'],
  ['the characters next to the surrogates', '\ud7ff\ue000\uffff'],
])('a string with %s becomes the JSON that JSON.stringify writes', (_, text) => {
  expect(jsonText(text)).toBe(JSON.stringify(text));
});

it('any leaf becomes the JSON that JSON.stringify writes', () => {
  const leaves = fc.oneof(
    anyText(),
    fc.string({ unit: fc.nat({ max: 0xffff }).map((code) => String.fromCharCode(code)) }),
    fc.double(),
    fc.integer(),
    fc.boolean(),
  );
  fc.assert(fc.property(leaves, (leaf) => jsonText(leaf) === JSON.stringify(leaf)));
});
