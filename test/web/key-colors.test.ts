import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { assignColors, type KeyColors } from '../../web/src/data/key-colors.ts';

const NONE: KeyColors = new Map();
const LETTERS = [...'abcdefghijklmnopqrst'];
const colorsOf = (colors: KeyColors, keys: readonly string[]) => keys.map((key) => colors.get(key));

describe('the colours of keys', () => {
  it('are those of the palette in its order for the keys that are shown first', () => {
    const first = assignColors(NONE, LETTERS.slice(0, 10));
    expect(colorsOf(first, LETTERS.slice(0, 10))).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8, 9]);
  });

  it('stay with a key whatever its rank, and while it is not shown', () => {
    const first = assignColors(NONE, ['a', 'b', 'c']);
    const second = assignColors(first, ['c', 'x', 'a']);
    expect(colorsOf(second, ['c', 'a'])).toEqual([2, 0]);
    expect(assignColors(second, ['b', 'a']).get('b')).toBe(1);
  });

  it('go to another key only if all are in use, and never twice in one chart', () => {
    const keys = fc.uniqueArray(fc.constantFrom(...LETTERS), { minLength: 1, maxLength: 10 });
    fc.assert(
      fc.property(fc.array(keys, { maxLength: 12 }), (views) => {
        let colors = NONE;
        let before: readonly string[] = [];
        for (const shown of views) {
          const next = assignColors(colors, shown);
          expect(new Set(colorsOf(next, shown)).size).toBe(shown.length);
          const stayed = shown.filter((key) => before.includes(key));
          expect(colorsOf(next, stayed)).toEqual(colorsOf(colors, stayed));
          colors = next;
          before = shown;
        }
      }),
    );
  });

  it('differ in lightness from a new neighbour, where such a colour is free', () => {
    const first = assignColors(NONE, ['a', 'b', 'c', 'd']);
    const second = assignColors(first, ['a', 'x', 'c', 'y']);
    const [a = 0, x = 0, c = 0, y = 0] = colorsOf(second, ['a', 'x', 'c', 'y']);
    expect([a + x, x + c, c + y].map((sum) => Math.abs(sum % 2))).toEqual([1, 1, 1]);
  });
});
