import { describe, expect, it } from 'vitest';
import { ServiceError } from '../../../domain/errors.ts';
import { compileKeyPattern } from '../../../domain/filters/key-pattern.ts';
import { LIMITS } from '../../../domain/limits.ts';

const raw = String.raw;

describe('a key pattern', () => {
  it.each([
    [raw`^C0\.A8\.01\.`, 'C0.A8.01.0A', true, 'from the start'],
    [raw`^C0\.A8\.01\.`, '0A.C0.A8.01.0A', false, 'from the start'],
    ['A8', 'C0.A8.01.0A', true, 'anywhere'],
    ['a8', 'C0.A8.01.0A', false, 'case-sensitive'],
    ['(?i)a8', 'C0.A8.01.0A', true, 'case-insensitive if it says so'],
    ['0A$', 'C0.A8.01.0A', true, 'at the end'],
    [raw`^C0\.A8\.01\.0A\\`, raw`C0.A8.01.0A\00.50`, true, 'in a cross-key'],
    [raw`\p{Greek}`, 'οδος', true, 'by Unicode script'],
    ['^.$', '😀', true, 'by characters, not by code units'],
  ])('%s matches %s: %s (%s)', (pattern, key, found) => {
    expect(compileKeyPattern(pattern, 'key_filter')(key)).toBe(found);
  });

  it('takes linear time for texts that make other engines hang', () => {
    const test = compileKeyPattern('(x+x+)+y', 'key_filter');
    expect(test('x'.repeat(10_000))).toBe(false);
  });

  it.each([
    ['a(b', 'missing closing )', 1],
    ['((((a)', 'missing closing )', 0],
    ['(a)b(c', 'missing closing )', 4],
    [raw`[(]\(\Q(\E(`, 'missing closing )', 10],
    ['[](](', 'missing closing )', 4],
    ['[[:alpha:](](', 'missing closing )', 12],
    ['a)b', 'unexpected )', 1],
    [raw`\)[)]()(a))b(`, 'unexpected )', 10],
    ['[a', 'missing closing ]', 0],
    ['[a]x[a', 'missing closing ]', 4],
    ['[z-a]', 'invalid character class range', 1],
    ['z-a[z-a]', 'invalid character class range', 4],
    ['[[:foo:]]', 'invalid character class range', 1],
    [raw`x\p{Foo}`, 'invalid character class range', 1],
    ['*a', 'missing argument to repetition operator', 0],
    ['a*(*b)', 'missing argument to repetition operator', 3],
    ['a**', 'invalid nested repetition operator', 1],
    [raw`\**a**`, 'invalid nested repetition operator', 4],
    ['a{1001}', 'invalid repeat count', 1],
    ['b{1000}(a{1000}){1000}', 'invalid repeat count', 16],
    ['(?P<n', 'invalid named capture', 0],
    ['n(?<n>a)(?<n>b)', 'duplicate capture group name', 10],
    ['(?i)(?=a)', 'invalid or unsupported Perl syntax', 4],
    ['a(?i', 'invalid or unsupported Perl syntax', 1],
    [raw`(a)\1`, 'invalid escape sequence', 3],
    ['a\\', 'trailing backslash at end of expression', 1],
    [`${'('.repeat(1001)}${')'.repeat(1001)}`, 'expression nests too deeply', 2000],
  ])('%s does not compile: %s at position %d', (pattern, reason, position) => {
    expect(() => compileKeyPattern(pattern, 'key_filter')).toThrow(ServiceError);
    expect(() => compileKeyPattern(pattern, 'key_filter')).toThrow(
      `: ${reason} at position ${position}`,
    );
  });

  it('that does not compile is reported with its parameter and text', () => {
    expect(() => compileKeyPattern('a(b', 'inverse_key_filter')).toThrow(
      new ServiceError(
        'malformedValue',
        'inverse_key_filter must be an RE2 pattern, got "a(b": missing closing ) at position 1',
      ),
    );
  });

  it('may be as long as the limit allows', () => {
    const longest = 'x'.repeat(LIMITS.patternLength);
    expect(compileKeyPattern(longest, 'key_filter')(longest)).toBe(true);
    expect(() => compileKeyPattern(`${longest}x`, 'key_filter')).toThrow(
      'key_filter must be a pattern of at most 10000 characters, got "xxx',
    );
  });

  it.each([
    ['x', 'characters'],
    ['(x)?', 'optional groups'],
    ['()', 'empty groups'],
    ['[^x]', 'classes'],
    ['x|', 'alternatives'],
  ])('of the maximum length may repeat %s: %s', (part) => {
    const pattern = part.repeat(Math.floor(LIMITS.patternLength / part.length));
    expect(() => compileKeyPattern(pattern, 'key_filter')).not.toThrow();
  });

  it.each([
    ['x{1000}'.repeat(15), 'fifteen times a thousand'],
    ['(?:x{100}){10}', 'a hundred times ten'],
    [raw`\Qx{1000}\E{1000}`, 'a quoted count'],
  ])('%s is accepted: %s', (pattern) => {
    expect(() => compileKeyPattern(pattern, 'key_filter')).not.toThrow();
  });

  it.each([
    ['x{1000}'.repeat(25), 'twenty-five times a thousand'],
    ['x{1000}'.repeat(1400), 'more than RE2 itself allows'],
    [`(?:${'x'.repeat(250)}){100}`, 'a hundred times 250'],
    [`${raw`\pL{1000}`.repeat(1000)}${raw`\Q`}`, 'a million, with a quotation left open'],
  ])('%s repeats too much: %s', (pattern) => {
    expect(() => compileKeyPattern(pattern, 'key_filter')).toThrow(
      'key_filter must be a pattern with fewer or smaller counted repetitions, got',
    );
  });
});
