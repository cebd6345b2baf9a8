import fc from 'fast-check';
import { RE2JS } from 're2js';
import { describe, expect, it } from 'vitest';
import { runWhole } from '../../../domain/sliced.ts';
import { fullKeySet } from '../../../segments/filter/key-set.ts';
import { patternFinder, plainFinder } from '../../../segments/filter/pattern-keys.ts';
import type { KeyCodec } from '../../../segments/keys/key-codec.ts';
import { FUZZ_CASES } from '../../support/random/fuzz-cases.ts';
import { codecOf, listOf, rawKeys, SOME_KINDS } from '../keys/random-keys.ts';
import { textsIn } from './plain-keys.ts';
import { PATTERNS } from './random-patterns.ts';
import { sizeOfKeySet } from './size-of-key-set.ts';

const compiles = (pattern: string): boolean => {
  try {
    RE2JS.compile(pattern);
    return true;
  } catch {
    return false;
  }
};

describe('the keys that a pattern matches', () => {
  it.each(SOME_KINDS.map((kinds) => ({ kinds })))(
    'are the same as in re2js, for keys of $kinds',
    ({ kinds }) => {
      const codec = codecOf(kinds);
      fc.assert(
        fc.property(
          PATTERNS.filter(compiles),
          fc.array(rawKeys(kinds), { maxLength: 60 }),
          (pattern, texts) => {
            const keys = listOf(texts.map(codec.encode));
            const all = fullKeySet(keys.count);
            const plain = RE2JS.compile(pattern);
            const expected = textsIn(all, keys, codec).filter((text) => plain.test(text));
            const found = runWhole(runWhole(patternFinder(codec, pattern, 'match'))(keys, all));
            expect(textsIn(found, keys, codec)).toEqual(expected);
            const slowly = runWhole(plainFinder(codec, pattern, plain)(keys, all));
            expect(textsIn(slowly, keys, codec)).toEqual(expected);
          },
        ),
        { numRuns: FUZZ_CASES },
      );
    },
  );
});

describe('typical patterns', () => {
  const codec = codecOf(['ip', 'port']);
  const keys = listOf(['C0.A8.01.0A\\00.50', 'C0.A8.02.0A\\01.BB'].map(codec.encode));

  it.each(['^C0\\.A8\\.01\\.', '\\\\01\\.BB$', '(01|03)\\.0A\\b', '(?i)a8\\.01', '.{3}\\\\00'])(
    'such as %j are matched without making the text of any key',
    (pattern) => {
      const textless: KeyCodec = {
        ...codec,
        decode: () => {
          throw new Error('the text of a key was made');
        },
      };
      const all = fullKeySet(keys.count);
      const find = runWhole(patternFinder(textless, pattern, 'match'));
      expect(sizeOfKeySet(runWhole(find(keys, all)))).toBe(1);
    },
  );

  it('are matched in the texts if the table would be too large', () => {
    const text = codecOf(['text']);
    // A state for each combination of the last 13 letters: thousands of them.
    const pattern = 'a[ab]{12}c';
    const raws = Array.from({ length: 4096 }, (_, i) =>
      `${i.toString(2).padStart(12, '0')}${(4095 - i).toString(2).padStart(14, '0')}c`
        .replaceAll('0', 'a')
        .replaceAll('1', 'b'),
    );
    const list = listOf(raws.map(text.encode));
    let decoded = 0;
    const counting: KeyCodec = {
      ...text,
      decode: (bytes) => {
        decoded += 1;
        return text.decode(bytes);
      },
    };
    const plain = RE2JS.compile(pattern);
    const find = runWhole(patternFinder(counting, pattern, 'match'));
    const found = runWhole(find(list, fullKeySet(list.count)));
    expect(decoded).toBe(list.count);
    expect(textsIn(found, list, text)).toEqual(raws.toSorted().filter((raw) => plain.test(raw)));
  });
});
