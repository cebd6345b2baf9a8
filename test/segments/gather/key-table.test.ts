import { describe, expect, it } from 'vitest';
import { KeyTable } from '../../../segments/gather/key-table.ts';

/** Keys of 1 to 6 bytes, some of which are the same number, or the same key. */
const KEYS = Array.from({ length: 6_000 }, (_, i) => {
  const key = new Uint8Array(1 + (i % 6));
  key[key.length - 1] = i >> 4;
  key[0] = i >> 8;
  return key;
});

const OF_FOUR = KEYS.filter(({ length }) => length === 4);

describe('a table of keys', () => {
  it.each([
    ['keys of all lengths', KEYS],
    ['keys of one length', OF_FOUR],
    ['keys of one length, and then of others', [...OF_FOUR, ...KEYS]],
    ['long keys', KEYS.filter(({ length }) => length > 4)],
  ])('numbers each key once, in the order in which they are added: %s', (_, keys) => {
    const table = new KeyTable();
    const expected = new Map<string, number>();
    for (const key of keys) {
      const text = Buffer.from(key).toString('hex');
      const isKnown = expected.has(text);
      expect(table.has(key)).toBe(isKnown);
      if (!isKnown) expected.set(text, expected.size);
      expect(table.indexOf(key)).toBe(expected.get(text));
    }
    expect(table.count).toBe(expected.size);
    for (const key of KEYS) {
      const text = Buffer.from(key).toString('hex');
      expect(table.find(key)).toBe(expected.get(text) ?? -1);
    }
  });
});
