import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { pickNode } from '../../../engine/snapshot/standbys.ts';

const BUSY = fc.array(fc.nat(5), { minLength: 1, maxLength: 6 });

describe('the node for the next read', () => {
  it('is one of the least busy', () => {
    fc.assert(
      fc.property(BUSY, fc.nat(), (busy, turn) => {
        expect(busy[pickNode(busy, turn)]).toBe(Math.min(...busy));
      }),
    );
  });

  it('is each of these once before any is repeated', () => {
    fc.assert(
      fc.property(BUSY, fc.nat(), (busy, turn) => {
        const least = busy.flatMap((count, i) => (count === Math.min(...busy) ? [i] : []));
        const picked = least.map((_, i) => pickNode(busy, turn + i));
        expect(picked.sort((x, y) => x - y)).toEqual(least);
      }),
    );
  });
});
