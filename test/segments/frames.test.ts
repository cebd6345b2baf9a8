import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ByteReader, ByteWriter } from '../../segments/codes/bytes.ts';
import { FRAME, readFrames, writeFrames } from '../../segments/codes/frames.ts';
import { DamagedSegment } from '../../segments/damaged-segment.ts';

const packed = (numbers: readonly number[]): Uint8Array => {
  const out = new ByteWriter();
  writeFrames(out, Float64Array.from(numbers));
  return out.take();
};

const unpacked = (bytes: Uint8Array, count: number): number[] => {
  const into = new Float64Array(count);
  readFrames(new ByteReader(bytes), count, into);
  return [...into];
};

/** Numbers at the limit of every width, and just below and above it. */
const numbers = fc.oneof(
  fc
    .tuple(fc.nat({ max: 53 }), fc.constantFrom(-1, 0, 1))
    .map(([bits, more]) => Math.min(Number.MAX_SAFE_INTEGER, Math.max(0, 2 ** bits + more))),
  fc.maxSafeNat(),
  fc.nat({ max: 300 }),
);

const lists = fc.oneof(
  fc.array(numbers, { maxLength: 3 * FRAME }),
  // All numbers of one width, as in the column of a meter.
  fc
    .tuple(
      fc.nat({ max: 53 }),
      fc.array(fc.double({ min: 0, max: 1, noNaN: true }), { minLength: 120 }),
    )
    .map(([bits, parts]) =>
      parts.map((part) => Math.min(Number.MAX_SAFE_INTEGER, Math.floor(part * 2 ** bits))),
    ),
);

describe('frames of numbers', () => {
  it('are read as they were written', () => {
    fc.assert(
      fc.property(lists, (list) => {
        expect(unpacked(packed(list), list.length)).toEqual(list);
      }),
      { numRuns: 500 },
    );
  });

  it('are read from the middle of an array, into the middle of another', () => {
    const out = new ByteWriter();
    out.byte(7);
    writeFrames(out, Uint32Array.from([9, 300, 70_000, 2 ** 32 - 1, 5]), 1, 4);
    out.byte(8);
    const reader = new ByteReader(out.take());
    reader.byte();
    const into = new Uint32Array(5);
    readFrames(reader, 3, into, 1);
    expect([...into]).toEqual([0, 300, 70_000, 2 ** 32 - 1, 0]);
    expect(reader.byte()).toBe(8);
  });

  it('take one byte if all are 0, and no more than needed if one is huge', () => {
    expect(packed(Array<number>(FRAME).fill(0))).toHaveLength(1);
    const skewed = Array<number>(FRAME).fill(3);
    skewed[77] = 2 ** 50;
    // Width 2: head, 32 bytes, number of exceptions, place, 49 bits by seven.
    expect(packed(skewed)).toHaveLength(1 + 32 + 1 + 1 + 7);
  });

  it('that are damaged or truncated yield numbers or a DamagedSegment, but never hang', () => {
    fc.assert(
      fc.property(lists, fc.nat(), fc.nat({ max: 255 }), fc.nat(), (list, where, byte, end) => {
        const bytes = packed(list);
        if (bytes.length === 0) return;
        bytes[where % bytes.length] = byte;
        const cut = bytes.subarray(0, end % 2 === 0 ? bytes.length : end % bytes.length);
        try {
          for (const number of unpacked(cut, list.length)) {
            expect(Number.isSafeInteger(number) && number >= 0).toBe(true);
          }
        } catch (error) {
          expect(error).toBeInstanceOf(DamagedSegment);
        }
      }),
      { numRuns: 1000 },
    );
  });
});
