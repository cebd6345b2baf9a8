import { describe, expect, it } from 'vitest';
import {
  addWhole,
  isReading,
  parseWhole,
  subtractWhole,
  toWhole,
  type Whole,
} from '../../ingest/whole.ts';

describe('a whole number', () => {
  const SAFE = Number.MAX_SAFE_INTEGER;

  it.each<[string, Whole | null]>([
    ['0', 0],
    ['-0', 0],
    ['007', 7],
    ['12', 12],
    ['-12', -12],
    ['12.0', 12],
    ['12.', 12],
    ['12.5', null],
    ['1.2e1', 12],
    ['1.25e1', null],
    ['120e-1', 12],
    ['125e-1', null],
    ['1e3', 1000],
    ['0e9999', 0],
    ['9007199254740991', SAFE],
    ['9007199254740992', 9007199254740992n],
    ['9007199254740993.0', 9007199254740993n],
    ['9223372036854775807', 2n ** 63n - 1n],
    ['-9223372036854775807', -(2n ** 63n - 1n)],
    ['9223372036854775808', 2n ** 63n],
    ['1e18', 10n ** 18n],
    ['1e39', 10n ** 39n],
    ['1e40', null],
    ['1e9999', null],
    ['1e-9999', null],
    ['', null],
    ['abc', null],
    ['1 2', null],
    ['0x10', null],
    ['NaN', null],
    ['+1', null],
  ])('is read from %j as %s', (text, expected) => {
    expect(parseWhole(text)).toBe(expected);
  });

  it('is a bigint from 2^53 on, and never rounded', () => {
    expect(addWhole(SAFE, 0)).toBe(SAFE);
    expect(addWhole(SAFE, 1)).toBe(2n ** 53n);
    expect(addWhole(SAFE, SAFE)).toBe(2n ** 54n - 2n);
    expect(addWhole(2n ** 53n, -1)).toBe(SAFE);
    expect(addWhole(-SAFE, -1)).toBe(-(2n ** 53n));
    expect(subtractWhole(2n ** 60n, 2n ** 60n - 5n)).toBe(5);
    expect(toWhole(-(2n ** 53n) + 1n)).toBe(-SAFE);
  });

  it.each<[Whole, boolean]>([
    [0, true],
    [2n ** 63n - 1n, true],
    [2n ** 63n, false],
    [-(2n ** 63n) + 1n, true],
    [-(2n ** 63n), false],
  ])('%s as a reading: %s', (value, expected) => {
    expect(isReading(value)).toBe(expected);
  });
});
