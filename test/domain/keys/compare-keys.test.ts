import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { compareKeys } from '../../../domain/keys/compare-keys.ts';
import { anyText } from '../../support/random/any-text.ts';

const byBytes = (a: string, b: string): number => Buffer.compare(Buffer.from(a), Buffer.from(b));

/** A few characters of every range whose order matters, so that common prefixes are frequent. */
const TRICKY = fc.string({
  unit: fc.constantFrom(
    'a',
    '\u007f',
    'é',
    '߿',
    '\ud7ff',
    '\ue000',
    '\uffff',
    '𐀀',
    '😀',
    '\u{10ffff}',
  ),
  maxLength: 4,
});

describe('comparing keys', () => {
  it.each([
    ['', '', 0],
    ['', 'A', -1],
    ['A', 'A', 0],
    ['A', 'B', -1],
    ['B', 'A', 1],
    ['AB', 'A', 1],
    ['Z', 'a', -1],
    ['\uffff', '😀', -1],
    ['😀', '\ue000', 1],
    ['\ud7ff', '😀', -1],
    ['😀', '😁', -1],
  ])('puts %j and %j in the order of their bytes', (a, b, sign) => {
    expect(Math.sign(compareKeys(a, b))).toBe(sign);
  });

  it('is the order of UTF-8 bytes for any two texts', () => {
    const text = fc.oneof(TRICKY, anyText());
    fc.assert(
      fc.property(text, text, (a, b) => {
        expect(Math.sign(compareKeys(a, b))).toBe(byBytes(a, b));
      }),
    );
  });
});
