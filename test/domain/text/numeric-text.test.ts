import { describe, expect, it } from 'vitest';
import { parseBoolean, parseInteger } from '../../../domain/text/numeric-text.ts';

describe('an integer', () => {
  it.each([
    ['0', 0],
    ['-0', 0],
    ['+7', 7],
    ['-1', -1],
    ['007', 7],
    ['9007199254740991', Number.MAX_SAFE_INTEGER],
    ['-9007199254740991', Number.MIN_SAFE_INTEGER],
  ])('%s is %d', (text, value) => {
    expect(parseInteger(text)).toBe(value);
  });

  it.each([
    '',
    ' ',
    ' 1',
    '1 ',
    '1\n',
    '1.0',
    '1e3',
    '0x10',
    '+',
    '-',
    '--1',
    '1_000',
    '١',
    'abc',
    'Infinity',
    '9007199254740992',
    '9007199254740993',
    '-9007199254740992',
    '9'.repeat(400),
  ])('%j is rejected', (text) => {
    expect(parseInteger(text)).toBeNull();
  });
});

describe('a boolean', () => {
  it.each(['true', '1', 'yes', 'on', 'TRUE', 'Yes', 'oN'])('%s is true', (text) => {
    expect(parseBoolean(text)).toBe(true);
  });

  it.each(['false', '0', 'no', 'off', 'FALSE', 'No', 'oFF'])('%s is false', (text) => {
    expect(parseBoolean(text)).toBe(false);
  });

  it.each(['', 't', 'y', '2', '-1', ' true', 'true ', 'null', 'ja'])('%j is neither', (text) => {
    expect(parseBoolean(text)).toBeNull();
  });
});
