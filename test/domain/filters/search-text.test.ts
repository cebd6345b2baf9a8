import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { foldCase } from '../../../domain/filters/search-text.ts';
import { anyText } from '../../support/random/any-text.ts';

describe('folding case for a search', () => {
  it.each([
    ['WWW.Example.ORG', 'www.example.org', 'ASCII'],
    ['STRASSE', 'straße', 'a sharp s equals two letters s'],
    ['STRAẞE', 'straße', 'the capital sharp s'],
    ['ΟΔΟΣ', 'οδος', 'a sigma that ends a word'],
    ['ΟΔΟΣ', 'οδοσ', 'a sigma in the wrong form'],
    ['İSTANBUL', 'istanbul', 'the dotted capital i'],
    ['ISPARTA', 'ısparta', 'the dotless small i'],
    ['Cafe\u0301', 'café', 'a combining accent'],
    ['ﬁber', 'FIBER', 'a ligature'],
    ['Ǆ', 'ǆ', 'a letter with three cases'],
    ['МОСКВА', 'москва', 'Cyrillic'],
    ['Å', 'å', 'the angstrom sign'],
    ['Kelvin', 'kelvin', 'the kelvin sign'],
  ])('makes %s and %s the same (%s)', (a, b) => {
    expect(foldCase(a)).toBe(foldCase(b));
  });

  it.each([
    ['a', 'á'],
    ['ss', 's'],
    ['l', '1'],
  ])('keeps %s and %s apart', (a, b) => {
    expect(foldCase(a)).not.toBe(foldCase(b));
  });

  it('finds a word by its beginning, wherever it contains a sigma', () => {
    expect(foldCase('ΟΔΟΣ ΕΡΜΟΥ')).toContain(foldCase('οδοσ'));
    expect(foldCase('ΣΟΦΟΣΤΑΤΟΣ')).toContain(foldCase('σοφος'));
  });

  it('is idempotent', () => {
    const letters = fc.string({
      unit: fc.constantFrom(
        'i',
        'I',
        'İ',
        'ı',
        '\u0307',
        '\u0323',
        '\u0345',
        'σ',
        'ς',
        'Σ',
        'ß',
        ' ',
      ),
    });
    fc.assert(
      fc.property(fc.oneof(letters, anyText()), (text) => {
        expect(foldCase(foldCase(text))).toBe(foldCase(text));
      }),
      { numRuns: 1000 },
    );
  });

  it('removes the case of any text', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), (text) => {
        expect(foldCase(text.toUpperCase())).toBe(foldCase(text));
      }),
      { numRuns: 1000 },
    );
  });
});
