import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ByteReader, ByteWriter } from '../../segments/codes/bytes.ts';
import { bitsOf, FRAME, writeFrames } from '../../segments/codes/frames.ts';
import { readHintedFrames, writeHintedFrames } from '../../segments/codes/hinted-frames.ts';
import { DamagedSegment } from '../../segments/damaged-segment.ts';
import { FUZZ_CASES } from '../support/random/fuzz-cases.ts';

type Hinted = { readonly value: number; readonly hint: number };

const packed = (list: readonly Hinted[]): Uint8Array => {
  const out = new ByteWriter();
  const numbers = Float64Array.from(list, ({ value }) => value);
  writeHintedFrames(
    out,
    numbers,
    Uint8Array.from(list, ({ hint }) => hint),
  );
  return out.take();
};

const unpacked = (bytes: Uint8Array, list: readonly Hinted[]): number[] => {
  const into = new Float64Array(list.length);
  const hints = Uint8Array.from(list, ({ hint }) => hint);
  const reader = new ByteReader(bytes);
  readHintedFrames(reader, { hints, into });
  if (reader.at !== bytes.length) throw new DamagedSegment('bytes are left over');
  return [...into];
};

/** Any number, and numbers about as large as their hint says. */
const anyNumbers = fc.record({ value: fc.maxSafeNat(), hint: fc.nat({ max: 53 }) });
const nearHints = fc
  .tuple(
    fc.nat({ max: 53 }),
    fc.integer({ min: -3, max: 3 }),
    fc.double({ min: 0.5, max: 1, noNaN: true }),
  )
  .map(([hint, off, part]) => ({
    hint,
    value: Math.floor(part * Math.min(2 ** 53 - 1, 2 ** Math.max(0, hint + off))),
  }));

const lists = fc.oneof(
  fc.array(anyNumbers, { maxLength: 3 * FRAME }),
  fc.array(nearHints, { maxLength: 3 * FRAME, size: 'max' }),
  fc.array(fc.oneof({ weight: 20, arbitrary: nearHints }, { weight: 1, arbitrary: anyNumbers }), {
    minLength: FRAME - 1,
    maxLength: FRAME + 1,
    size: 'max',
  }),
);

describe('frames of numbers with hints', () => {
  it('are read as they were written, and never larger than without hints', () => {
    fc.assert(
      fc.property(lists, (list) => {
        const bytes = packed(list);
        expect(unpacked(bytes, list)).toEqual(list.map(({ value }) => value));
        const plain = new ByteWriter();
        writeFrames(
          plain,
          Float64Array.from(list, ({ value }) => value),
        );
        expect(bytes.length).toBeLessThanOrEqual(plain.length);
      }),
      { numRuns: 10 * FUZZ_CASES },
    );
  });

  it('take about the bits of each number, however much the sizes differ', () => {
    const list = Array.from({ length: FRAME }, (_, i) => {
      const value = 2 ** (i % 30) + (i % 3);
      return { value, hint: bitsOf(value) };
    });
    const bits = list.reduce((sum, { hint }) => sum + hint, 0);
    expect(packed(list).length).toBe(1 + Math.ceil(bits / 8));
  });

  it('give damage, or numbers below 2^53, whatever bytes are changed', () => {
    const list = Array.from({ length: 200 }, (_, i) => ({ value: i * i * i, hint: (i % 20) + 1 }));
    const bytes = packed(list);
    const change = fc.record({ at: fc.nat({ max: bytes.length - 1 }), byte: fc.nat({ max: 255 }) });
    fc.assert(
      fc.property(fc.array(change, { minLength: 1, maxLength: 4 }), (changes) => {
        const copy = bytes.slice();
        for (const { at, byte } of changes) copy[at] = byte;
        try {
          expect(unpacked(copy, list).filter((value) => !Number.isSafeInteger(value))).toEqual([]);
        } catch (error) {
          expect(error).toBeInstanceOf(DamagedSegment);
        }
      }),
      { numRuns: 10 * FUZZ_CASES },
    );
  });
});
