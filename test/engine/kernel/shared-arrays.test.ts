import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { SharedArrays } from '../../../engine/kernel/aggregate/shared-arrays.ts';

describe('shared arrays', () => {
  it('have the requested length, are all zero, and do not overlap', () => {
    const sizes = fc.array(fc.tuple(fc.boolean(), fc.nat({ max: 9000 })), { maxLength: 60 });
    fc.assert(
      fc.property(sizes, (wanted) => {
        const arrays = new SharedArrays();
        const made = wanted.map(([isWords, length]) =>
          isWords ? arrays.words(length) : arrays.doubles(length),
        );
        for (const [i, array] of made.entries()) {
          expect(array).toHaveLength(wanted[i]?.[1] ?? -1);
          expect(array.every((number) => number === 0)).toBe(true);
          expect(array.buffer).toBeInstanceOf(SharedArrayBuffer);
          array.fill(i + 1);
        }
        for (const [i, array] of made.entries()) {
          expect(array.every((number) => number === i + 1)).toBe(true);
        }
      }),
    );
  });

  it('that are small share buffers', () => {
    const arrays = new SharedArrays();
    const buffers = new Set(Array.from({ length: 100 }, () => arrays.words(100).buffer));
    expect(buffers.size).toBeLessThan(6);
  });
});
