import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ByteReader, ByteWriter } from '../../segments/codes/bytes.ts';

const MOST = Number.MAX_SAFE_INTEGER;

/** Powers of two and their neighbours, at which a number takes one more byte. */
const powers = fc
  .tuple(fc.integer({ min: 0, max: 53 }), fc.constantFrom(-1, 0, 1))
  .map(([bits, more]) => Math.min(MOST, Math.max(0, 2 ** bits + more)));

const unsigned = fc.oneof(powers, fc.maxSafeNat(), fc.nat({ max: 300 }));

/** Up to ±(2^52 − 1), as twice the number must be exact too. */
const signed = fc
  .tuple(unsigned, fc.boolean())
  .map(([number, isNegative]) => (isNegative ? -1 : 1) * Math.min(number, 2 ** 52 - 1) + 0);

const written = (write: (out: ByteWriter) => void): Uint8Array => {
  const out = new ByteWriter();
  write(out);
  return out.take();
};

describe('numbers of variable length', () => {
  it('are read as they were written, up to 2^53 − 1', () => {
    const comesBack = fc.property(fc.array(unsigned), (numbers) => {
      const bytes = written((out) => {
        for (const number of numbers) out.varint(number);
      });
      const reader = new ByteReader(bytes);
      expect(numbers.map(() => reader.varint())).toEqual(numbers);
      expect(reader.at).toBe(bytes.length);
    });
    fc.assert(comesBack, { numRuns: 500 });
  });

  it('are read with their sign, up to ±(2^52 − 1)', () => {
    const comesBack = fc.property(fc.array(signed), (numbers) => {
      const reader = new ByteReader(
        written((out) => {
          for (const number of numbers) out.signed(number);
        }),
      );
      expect(numbers.map(() => reader.signed() + 0)).toEqual(numbers);
    });
    fc.assert(comesBack, { numRuns: 500 });
  });

  it.each([
    [0, 1],
    [127, 1],
    [128, 2],
    [16_383, 2],
    [16_384, 3],
    [2 ** 31 - 1, 5],
    [2 ** 31, 5],
    [2 ** 49 - 1, 7],
    [2 ** 49, 8],
    [MOST, 8],
  ])('%d takes %d bytes', (number, length) => {
    expect(written((out) => out.varint(number))).toHaveLength(length);
  });

  it.each([2 ** 52, -(2 ** 52), MOST])(
    '%d as a signed number is refused: it would be rounded',
    (number) => {
      expect(() => new ByteWriter().signed(number)).toThrow(RangeError);
    },
  );
});

describe('a writer of bytes', () => {
  it('grows as it is written to, and keeps everything written before', () => {
    const numbers = Array.from({ length: 10_000 }, (_, i) => i * 1000);
    const part = written((out) => out.append(new Uint8Array(9000).fill(7)));
    const bytes = written((out) => {
      for (const number of numbers) out.varint(number);
      out.append(part);
      out.double(Math.PI);
      out.byte(255);
    });
    const reader = new ByteReader(bytes);
    expect(numbers.every((number) => reader.varint() === number)).toBe(true);
    expect(bytes.subarray(reader.at, reader.at + 9000)).toEqual(part);
    reader.skip(9000);
    expect([reader.double(), reader.byte(), reader.at]).toEqual([Math.PI, 255, bytes.length]);
  });

  it('is empty after clear, and appends its content to another writer', () => {
    const out = new ByteWriter();
    const other = new ByteWriter();
    other.varint(1);
    other.clear();
    other.varint(300);
    out.varint(5);
    out.appendFrom(other);
    const reader = new ByteReader(out.take());
    expect([reader.varint(), reader.varint(), reader.at]).toEqual([5, 300, 3]);
  });

  it('returns a copy, which later writing does not change', () => {
    const out = new ByteWriter();
    out.byte(1);
    const taken = out.take();
    out.clear();
    out.byte(2);
    expect([...taken]).toEqual([1]);
  });
});

describe('a reader of bytes', () => {
  it.each<[string, (reader: ByteReader) => unknown]>([
    ['a byte', (reader) => reader.byte()],
    ['a number', (reader) => reader.varint()],
    ['a double', (reader) => reader.double()],
    ['a skip', (reader) => reader.skip(4)],
  ])('fails on %s beyond the end', (_, read) => {
    const bytes = Uint8Array.of(128, 128, 128);
    const reader = new ByteReader(bytes.subarray(0, 3), 0);
    if (_ === 'a byte') reader.skip(3);
    expect(() => read(reader)).toThrow('packed data end too early');
  });

  it('reads a part of a larger array from the start of that part', () => {
    const all = written((out) => {
      out.byte(9);
      out.double(0.5);
      out.varint(77);
    });
    const reader = new ByteReader(all.subarray(1), 0);
    expect([reader.double(), reader.varint()]).toEqual([0.5, 77]);
  });
});
