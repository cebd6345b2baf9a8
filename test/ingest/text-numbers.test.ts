import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { TextNumbers } from '../../ingest/text-numbers.ts';

describe('numbers of texts', () => {
  it('are given in order, and found again by any text in any script', () => {
    const text = fc.oneof(
      fc.string({ unit: 'binary', maxLength: 4 }),
      fc.string({ unit: fc.constantFrom('a', 'b'), maxLength: 6 }),
      fc.constantFrom('x'.repeat(2600), `${'x'.repeat(2599)}y`),
    );
    fc.assert(
      fc.property(fc.array(text, { maxLength: 300 }), (texts) => {
        const numbers = new TextNumbers();
        const given = texts.map((each) => {
          const found = numbers.find(each);
          return found === -1 ? numbers.add(each) : found;
        });
        const distinct = [...new Set(texts)];
        expect(given).toEqual(texts.map((each) => distinct.indexOf(each)));
        expect(distinct.map((each) => numbers.find(each))).toEqual([...distinct.keys()]);
        expect(numbers.size).toBe(distinct.length);
      }),
    );
  });

  it('may be more than 65,536', () => {
    const numbers = new TextNumbers();
    const texts = Array.from({ length: 200_000 }, (_, i) => `key ${i}`);
    for (const text of texts) numbers.add(text);
    expect(texts.every((text, i) => numbers.find(text) === i)).toBe(true);
    expect(numbers.find('key 200000')).toBe(-1);
  });
});
