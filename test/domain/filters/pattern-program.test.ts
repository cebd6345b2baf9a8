import { RE2JS } from 're2js';
import { describe, expect, it } from 'vitest';
import { patternProgram } from '../../../domain/filters/pattern-program.ts';
import { runWhole } from '../../../domain/sliced.ts';

const programOf = (pattern: string) => runWhole(patternProgram(RE2JS.compile(pattern)));

describe('the program of a pattern', () => {
  it('shows what consumes characters, what branches and what must hold', () => {
    expect(programOf('^a[b-d]|\\b$')).toEqual({
      start: 6,
      instructions: [
        { kind: 'never' },
        { kind: 'where', holds: 4, next: 2 },
        { kind: 'chars', ranges: [97, 97], next: 3 },
        { kind: 'chars', ranges: [98, 100], next: 7 },
        { kind: 'where', holds: 16, next: 5 },
        { kind: 'where', holds: 8, next: 7 },
        { kind: 'either', next: 1, other: 4 },
        { kind: 'found' },
      ],
    });
  });

  it.each(['k', 's', 'K', 'x'])('lists all letters that equal %s ignoring case', (letter) => {
    const chars = programOf(`(?i)${letter}`)?.instructions.find(({ kind }) => kind === 'chars');
    const found = chars?.kind === 'chars' ? chars.ranges.filter((_, i) => i % 2 === 0) : [];
    const everything = Array.from({ length: 0x3000 }, (_, code) => code);
    const isSame = new RegExp(`^${letter}$`, 'iu');
    expect(found).toEqual(everything.filter((code) => isSame.test(String.fromCodePoint(code))));
  });

  it.each([
    '',
    '.',
    '(?s).',
    'a*?b+?',
    '(a|b){2,3}',
    '[^a]',
    '\\pL',
    '(?i)[a-é]',
    '\\B\\z',
    '[^\\x00-\\x{10FFFF}]',
  ])('exists for %j', (pattern) => {
    expect(programOf(pattern)).not.toBeNull();
  });

  it('does not exist for a letter beyond ASCII whose case is ignored', () => {
    expect(programOf('(?i)é')).toBeNull();
  });
});
