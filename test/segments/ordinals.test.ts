import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ByteReader, ByteWriter } from '../../segments/codes/bytes.ts';
import { readOrdinals, writeOrdinals } from '../../segments/codes/ordinals.ts';
import { DamagedSegment } from '../../segments/damaged-segment.ts';

const BITMAP = 1;

const ONE_OF_EACH_FORM = [[true], [false, true], [false, false, false, false, true]];

function written(ordinals: readonly number[], bound: number): Uint8Array {
  const out = new ByteWriter();
  writeOrdinals(out, Uint32Array.from(ordinals), bound);
  return out.take();
}

/** Reads into the middle of an array, whose other elements must not change. */
function read(bytes: Uint8Array, count: number, range: { bound: number; first: number }) {
  const whole = new Uint32Array(count + 2).fill(7);
  const reader = new ByteReader(bytes);
  readOrdinals(reader, whole.subarray(1, count + 1), range);
  expect([whole[0], whole.at(-1)]).toEqual([7, 7]);
  expect(reader.at).toBe(bytes.length);
  return [...whole.subarray(1, count + 1)];
}

describe('ordinals below a bound', () => {
  it('are read as they were written, in all three forms', () => {
    const presence = fc
      .record({ share: fc.double({ min: 0, max: 1, noNaN: true }), bound: fc.nat(300) })
      .chain(({ share, bound }) => {
        const isPresent = fc.double({ min: 0, max: 1, noNaN: true }).map((each) => each <= share);
        return fc.array(isPresent, { minLength: bound, maxLength: bound });
      });
    const forms = new Set<number | undefined>();
    fc.assert(
      fc.property(presence, fc.nat(2 ** 31), (present, first) => {
        const ordinals = present.flatMap((isPresent, ordinal) => (isPresent ? [ordinal] : []));
        const bound = present.length;
        const bytes = written(ordinals, bound);
        forms.add(bytes[0]);
        expect(read(bytes, ordinals.length, { bound, first })).toEqual(
          ordinals.map((ordinal) => first + ordinal),
        );
      }),
      { examples: [...ONE_OF_EACH_FORM.map((present): [boolean[], number] => [present, 5])] },
    );
    expect([...forms].sort()).toEqual([0, 1, 2]);
  });

  it.each([
    { name: 'more keys than bits', count: 4 },
    { name: 'fewer keys than bits', count: 2 },
    { name: 'no keys', count: 0 },
  ])('are damaged if a bitmap is for $name', ({ count }) => {
    const bytes = written([1, 2, 9], 11);
    expect(bytes[0]).toBe(BITMAP);
    expect(() => read(bytes, count, { bound: 11, first: 0 })).toThrow(DamagedSegment);
  });

  it('are damaged if a long bitmap has a bit too many or too few', () => {
    const ordinals = Array.from({ length: 40 }, (_, i) => 2 * i);
    for (const byte of [1, 5, 10]) {
      const bytes = written(ordinals, 80);
      bytes[byte] = (bytes[byte] as number) ^ 2;
      expect(() => read(bytes, 40, { bound: 80, first: 0 })).toThrow(
        'more or fewer bits than keys',
      );
      bytes[byte] = (bytes[byte] as number) & ~7;
      expect(() => read(bytes, 40, { bound: 80, first: 0 })).toThrow(
        'more or fewer bits than keys',
      );
    }
  });

  it('are damaged if a bit stands for a key beyond the bound', () => {
    const bytes = Uint8Array.of(BITMAP, 0b11, 0b1000);
    expect(read(bytes, 3, { bound: 12, first: 0 })).toEqual([0, 1, 11]);
    expect(() => read(bytes, 3, { bound: 11, first: 0 })).toThrow('more or fewer bits than keys');
  });
});
