import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { jsonNumber, jsonObject } from '../../../ingest/lines/json-line.ts';
import { parseWhole } from '../../../ingest/whole.ts';

const read = (number: string) => jsonNumber(jsonObject(`{"id":"CMdzit1","n":${number}}`).n);

describe('a number of a flow line', () => {
  it.each([
    '9007199254740993',
    '900719925474099.3e1',
    '9.007199254740993E15',
    '-900719925474099.3e+1',
    '999999999999999.99',
    '5.0000000000000003',
    '0.99999999999999999',
    '1700000000.00000001',
    '0.9999999999999999999999',
  ])('is not rounded: %s', (number) => {
    expect(read(number)).toBe(number);
  });

  it('is as exact as its text, wherever its point is', () => {
    const digits = fc.stringMatching(/^[1-9](?:\d{0,19}|0{5,19}|9{5,19})\d$/);
    fc.assert(
      fc.property(digits, fc.nat(20), fc.integer({ min: 0, max: 6 }), (text, place, exponent) => {
        const point = Math.min(place, text.length - 1);
        const mantissa = point === 0 ? text : `${text.slice(0, point)}.${text.slice(point)}`;
        const number = exponent === 0 ? mantissa : `${mantissa}e${exponent}`;
        expect(parseWhole(read(number) ?? '')).toEqual(parseWhole(number));
      }),
      { numRuns: 2000 },
    );
  });

  it.each(['1700000000.123456', '0.066851', '9.5e-07', '1234567890'])(
    'that JSON.parse reads exactly is left to it, because it is fast: %s',
    (number) => {
      expect(jsonObject(`{"n":${number},"s":"1234567890123456789"}`)).toEqual({
        n: Number(number),
        s: '1234567890123456789',
      });
    },
  );
});
