import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { sortedOrder } from '../../ingest/row-order.ts';

const number = fc.oneof(
  fc.nat({ max: 3 }),
  fc.nat({ max: 5000 }),
  fc.integer({ min: 0, max: 2 ** 32 - 1 }),
);

describe('the order of rows', () => {
  it('is that of their keys, the last of which counts most, and else stays what it was', () => {
    fc.assert(
      fc.property(fc.array(fc.tuple(number, number, number), { maxLength: 200 }), (rows) => {
        const keys = [0, 1, 2].map((place) => Uint32Array.from(rows, (row) => row[place] ?? 0));
        const expected = rows
          .map((row, index) => ({ row, index }))
          .sort((a, b) => a.row[2] - b.row[2] || a.row[1] - b.row[1] || a.row[0] - b.row[0]);
        expect([...sortedOrder(rows.length, keys)]).toEqual(expected.map(({ index }) => index));
      }),
    );
  });
});
