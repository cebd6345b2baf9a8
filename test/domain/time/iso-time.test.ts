import { expect, it } from 'vitest';
import { isoTime } from '../../../domain/time/iso-time.ts';

it.each([
  [0, '1970-01-01T00:00:00Z'],
  [1_700_000_000, '2023-11-14T22:13:20Z'],
  [1_700_000_000.5, '2023-11-14T22:13:20.5Z'],
  [631_151_999.999_999, '1989-12-31T23:59:59.999Z'],
  [-1, '1969-12-31T23:59:59Z'],
  [4_102_444_800_000, '+131971-04-21T00:00:00Z'],
  [1e15, '1000000000000000 seconds after 1970'],
  [Number.NaN, 'NaN seconds after 1970'],
])('%d is written as %s', (seconds, text) => {
  expect(isoTime(seconds)).toBe(text);
});
