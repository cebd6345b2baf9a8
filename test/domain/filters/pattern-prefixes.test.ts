import fc from 'fast-check';
import { RE2JS } from 're2js';
import { describe, expect, it } from 'vitest';
import { patternPrefixes } from '../../../domain/filters/pattern-prefixes.ts';

const found = (pattern: string) => {
  const prefixes = patternPrefixes(pattern);
  return prefixes && { texts: [...prefixes.texts].sort(), isWhole: prefixes.isWhole };
};

describe('the prefixes of the texts that match a pattern', () => {
  it.each([
    ['^C0\\.A8\\.', ['C0.A8.']],
    ['^(C0|0A)\\.', ['0A.', 'C0.']],
    ['^0A\\.0[0-29]', ['0A.00', '0A.01', '0A.02', '0A.09']],
    ['^(?:a|b(c|d))|^e', ['a', 'bc', 'bd', 'e']],
    ['\\Aa{3}', ['aaa']],
    ['^ab?', ['a']],
    ['^ab.*', ['ab']],
    ['^a+', ['a']],
    ['^a{2,}', ['aa']],
    ['^a(?:^b)*', ['a']],
  ])('%s: all texts that begin with %j', (pattern, texts) => {
    expect(found(pattern)).toEqual({ texts, isWhole: true });
  });

  it.each([
    ['^C0\\.A8\\.01$', ['C0.A8.01']],
    ['^a.b', ['a']],
    ['^ab?c', ['a']],
    ['^(a|b\\d)c', ['ac', 'b']],
    ['^(C0|0A)\\.[[:xdigit:]]{2}\\.01', ['0A.', 'C0.']],
    ['^a[^b]', ['a']],
    ['^a\\bb', ['a']],
    ['^aé', ['a']],
    ['^a(b{1000}){2}', [`a${'b'.repeat(32)}`]],
  ])('%s: some texts that begin with %j', (pattern, texts) => {
    expect(found(pattern)).toEqual({ texts, isWhole: false });
  });

  it.each([
    '',
    '^',
    'a',
    '.',
    '^a|b',
    '^a|',
    '(^a|b)',
    'x*^a',
    '(?i)^a',
    '^\\Qa\\E',
    '^a(?=b)',
    '^[\\d]',
  ])('%j: unknown', (pattern) => {
    expect(found(pattern)).toBeNull();
  });

  it('are not listed if there are too many, and are cut if they are long', () => {
    expect(found('^[0-9]{3}')?.texts).toHaveLength(1000);
    expect(found('^[0-9]{4}')).toEqual({ texts: found('^[0-9]{3}')?.texts, isWhole: false });
    expect(found(Array.from({ length: 2000 }, (_, i) => `^${i}`).join('|'))).toBeNull();
    expect(found('^((((a{30}b){30}){20}))')?.texts[0]?.length).toBeLessThan(100);
  });

  it('agree with RE2 for random patterns and texts', () => {
    let told = 0;
    fc.assert(
      fc.property(PATTERN, fc.array(TEXT, { maxLength: 30 }), (pattern, texts) => {
        const compiled = compile(pattern);
        const prefixes = patternPrefixes(pattern);
        if (!compiled || !prefixes) return;
        told += 1;
        // The prefixes are tried as well, because random texts seldom match.
        for (const text of [...texts, ...prefixes.texts.flatMap((each) => [each, `${each}0`])]) {
          const isInside = prefixes.texts.some((prefix) => text.startsWith(prefix));
          if (prefixes.isWhole) expect([text, compiled.test(text)]).toEqual([text, isInside]);
          else if (!isInside) expect([text, compiled.test(text)]).toEqual([text, false]);
        }
      }),
      { numRuns: 5000 },
    );
    expect(told).toBeGreaterThan(100);
  });
});

function compile(pattern: string): RE2JS | null {
  try {
    return RE2JS.compile(pattern);
  } catch {
    return null;
  }
}

const TEXT = fc.string({ unit: fc.constantFrom('a', 'b', 'c', '0', '.', '{', '-', 'é', '\\') });

/** Includes pieces that RE2 rejects, and many with a surprising meaning. */
const PIECE = fc.constantFrom(
  'a',
  'b',
  'c',
  '0',
  '.',
  '\\.',
  '-',
  '}',
  ']',
  'é',
  '😀',
  '^',
  '$',
  '|',
  '\\d',
  '\\W',
  '\\b',
  '[ab]',
  '[a-c]',
  '[^a]',
  '[[:alpha:]]',
  '[0-9.]',
  '[]a]',
  '[a-]',
  '[\\d]',
  '[b-a]',
  '[a',
  '(',
  '*',
  '+',
  '?',
  '??',
  '{2}',
  '{0}',
  '{02}',
  '{,2}',
  '{1,2}',
  '{0,}',
  '{2,1}',
  '{',
  '{a}',
  ')',
  '(?i)',
  '(?:',
  '(?P<n>',
  '(?=',
  '\\Q',
  '\\E',
  '\\A',
  '\\z',
  '\\x41',
  '\\pL',
  '\\',
  '\\_',
);

const PATTERN = fc.oneof(
  fc.array(PIECE, { maxLength: 8 }).map((pieces) => pieces.join('')),
  fc.array(PIECE, { maxLength: 6 }).map((pieces) => `^${pieces.join('')}`),
  fc
    .letrec<{ part: string; choice: string }>((tie) => ({
      part: fc.oneof(
        { depthSize: 'small' },
        fc.constantFrom('a', 'b', '0', '\\.', '[ab]', '[a-c]', '.', '\\d', '^', '$'),
        fc.tuple(tie('part'), tie('part')).map((parts) => parts.join('')),
        tie('choice').map((choice) => `(${choice})`),
        fc
          .tuple(tie('choice'), fc.constantFrom('*', '+', '?', '{2}', '{0,1}', '{1,}'))
          .map(([choice, repeat]) => `(?:${choice})${repeat}`),
      ),
      choice: fc.array(tie('part'), { minLength: 1, maxLength: 3 }).map((parts) => parts.join('|')),
    }))
    .choice.chain((choice) => fc.constantFrom(`^(${choice})`, `^${choice}`, choice)),
);
