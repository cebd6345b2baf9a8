import { deepStrictEqual } from 'node:assert/strict';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { SimpleKeyKind } from '../../../domain/keys/key-kind.ts';
import { ByteReader, ByteWriter } from '../../../segments/codes/bytes.ts';
import { writeFrames } from '../../../segments/codes/frames.ts';
import { DamagedSegment } from '../../../segments/damaged-segment.ts';
import { compareKeys, type KeyList, keyAt } from '../../../segments/keys/key-list.ts';
import { KeyListBuilder } from '../../../segments/keys/key-list-builder.ts';
import {
  readKeySection,
  SECTION_KEYS,
  writeKeySection,
} from '../../../segments/keys/key-section.ts';
import { FUZZ_CASES } from '../../support/random/fuzz-cases.ts';
import { ALL_PAIRS, codecOf, listOf, rawKeys, SOME_KINDS } from './random-keys.ts';

function packed(
  kinds: readonly SimpleKeyKind[],
  keys: KeyList,
  from = 0,
  to = keys.count,
): Uint8Array {
  const out = new ByteWriter();
  writeKeySection(out, keys, from, to, codecOf(kinds));
  return out.take();
}

function unpacked(kinds: readonly SimpleKeyKind[], bytes: Uint8Array, count: number): KeyList {
  const builder = new KeyListBuilder({ keys: 0, bytes: 0 });
  const reader = new ByteReader(bytes);
  readKeySection(reader, codecOf(kinds), count, builder);
  expect(reader.at).toBe(bytes.length);
  return builder.finish();
}

const lists = (kinds: readonly SimpleKeyKind[]): fc.Arbitrary<KeyList> =>
  fc
    .array(rawKeys(kinds), { maxLength: 300, size: 'max' })
    .map((texts) => listOf(texts.map(codecOf(kinds).encode)));

function expectSame(kinds: readonly SimpleKeyKind[], list: KeyList): void {
  // Much faster than `toEqual`, which compares the bytes one by one.
  deepStrictEqual(unpacked(kinds, packed(kinds, list), list.count), list);
}

/** Keys of four bytes, from ascending numbers. */
const addresses = (numbers: readonly number[]): KeyList =>
  listOf(
    numbers.map((number) => {
      const bytes = Buffer.alloc(4);
      bytes.writeUInt32BE(number);
      return bytes;
    }),
  );

describe('a section of keys', () => {
  it('is read as it was written, for every kind', () => {
    for (const kinds of SOME_KINDS) {
      fc.assert(
        fc.property(lists(kinds), (list) => expectSame(kinds, list)),
        { numRuns: 20 },
      );
    }
  });

  it('is read as it was written, for any two kinds', () => {
    for (const kinds of ALL_PAIRS) {
      fc.assert(
        fc.property(lists(kinds), (list) => expectSame(kinds, list)),
        { numRuns: 2 },
      );
    }
  });

  it('is read after the one before it', () => {
    const list = addresses(Array.from({ length: SECTION_KEYS + 10 }, (_, i) => i * i));
    const kinds = ['ipv4'] as const;
    const codec = codecOf(kinds);
    const builder = new KeyListBuilder({ keys: 0, bytes: 0 });
    readKeySection(
      new ByteReader(packed(kinds, list, 0, SECTION_KEYS)),
      codec,
      SECTION_KEYS,
      builder,
    );
    readKeySection(new ByteReader(packed(kinds, list, SECTION_KEYS)), codec, 10, builder);
    expect(builder.finish()).toEqual(list);
  });

  it.each([
    ['before', [5], [4]],
    ['with', [5], [5]],
  ])('is damaged when it begins %s the end of the one before it', (_, first, second) => {
    const codec = codecOf(['ipv4']);
    const builder = new KeyListBuilder({ keys: 0, bytes: 0 });
    readKeySection(new ByteReader(packed(['ipv4'], addresses(first))), codec, 1, builder);
    const next = new ByteReader(packed(['ipv4'], addresses(second)));
    expect(() => readKeySection(next, codec, 1, builder)).toThrow(DamagedSegment);
  });

  it('is limited to a number of keys, by the writer and by the reader', () => {
    const list = addresses(Array.from({ length: SECTION_KEYS + 1 }, (_, i) => i));
    expect(() => packed(['ipv4'], list)).toThrow(RangeError);
    const builder = new KeyListBuilder({ keys: 0, bytes: 0 });
    const reader = new ByteReader(new Uint8Array(100_000));
    expect(() => readKeySection(reader, codecOf(['ipv4']), SECTION_KEYS + 1, builder)).toThrow(
      DamagedSegment,
    );
  });

  it('cannot be written with keys of another kind', () => {
    expect(() => packed(['port'], addresses([1, 2]))).toThrow(RangeError);
  });
});

describe('the size of a section', () => {
  it('is little more than a bit per key if all keys are consecutive', () => {
    const list = addresses(Array.from({ length: SECTION_KEYS }, (_, i) => 0x0a00_0000 + i));
    expect(packed(['ipv4'], list).length).toBeLessThan(SECTION_KEYS / 8 + 64);
  });

  it('hardly grows with shapes that no key has', () => {
    const list = addresses(Array.from({ length: SECTION_KEYS }, (_, i) => i * 1000));
    expect(packed(['ip'], list).length - packed(['ipv4'], list).length).toBeLessThan(40);
  });

  it('is smaller if the same few ports recur', () => {
    const ports = [22, 53, 80, 123, 443, 8080, 50_000, 60_000];
    const codec = codecOf(['ipv4', 'port']);
    const list = listOf(
      Array.from({ length: SECTION_KEYS }, (_, i) => {
        const key = Buffer.alloc(6);
        key.writeUInt32BE(i);
        key.writeUInt16BE(ports[(i * 7919) % 8] ?? 0, 4);
        return key;
      }),
    );
    expect(codec.decode(keyAt(list, 0))).toBe('00.00.00.00\\00.16');
    // A bit for the step of the address, and three for the port.
    expect(packed(['ipv4', 'port'], list).length).toBeLessThan(SECTION_KEYS / 2 + 128);
  });
});

/** A section of text keys, from its shared lengths, suffix lengths and suffixes. */
function frontCoded(shared: number[], suffixes: number[], text: string): Uint8Array {
  const out = new ByteWriter();
  writeFrames(out, Uint8Array.from(shared));
  writeFrames(out, Uint16Array.from(suffixes));
  out.append(Buffer.from(text));
  return out.take();
}

/** A section of byte keys, from its shapes, if there are several, and the columns of its fields. */
function byColumns(shapes: number[] | null, ...columns: number[][]): Uint8Array {
  const out = new ByteWriter();
  if (shapes !== null) writeFrames(out, Uint8Array.from(shapes));
  for (const column of columns) {
    out.byte(0);
    writeFrames(out, Float64Array.from(column));
  }
  return out.take();
}

/** 300 steps of 1, which take three frames, except for one of another size. */
const steps = (place: number, step: number): number[] =>
  Array<number>(300).fill(1).with(place, step);

type Section = readonly [readonly SimpleKeyKind[], number, string, Uint8Array];

const SOUND: readonly Section[] = [
  [['text'], 2, 'a, ab', frontCoded([0, 1], [1, 1], 'ab')],
  [['ipv4'], 2, 'an address and the next one', byColumns(null, [5, 1])],
  [
    ['ipv4'],
    300,
    'addresses up to the last possible one',
    byColumns(null, steps(299, 2 ** 32 - 300)),
  ],
  [['ipv4'], 0, 'nothing', byColumns(null, [])],
  [['mac'], 2, 'addresses that differ by one in the last field', byColumns(null, [5, 0], [7, 1])],
  [
    ['ip'],
    2,
    'a short address, and a long one that begins with it',
    byColumns([0, 1], [5, 0], [9], [9], [9]),
  ],
  [['subnet'], 1, 'a network of 32 bits', byColumns([0], [5], [32], [], [], [])],
];

const UNSOUND: readonly Section[] = [
  [['text'], 2, 'the same text twice', frontCoded([0, 1], [1, 0], 'a')],
  [['text'], 2, 'a text followed by a prefix of it', frontCoded([0, 1], [2, 0], 'ab')],
  [['text'], 2, 'texts in descending order', frontCoded([0, 0], [1, 1], 'ba')],
  [
    ['text'],
    2,
    'texts in descending order after their common prefix',
    frontCoded([0, 1], [2, 1], 'aba'),
  ],
  [['text'], 2, 'a text that shares more than it declares', frontCoded([0, 1], [2, 1], 'abb')],
  [['text'], 2, 'a first text that declares a shared prefix', frontCoded([1, 0], [1, 1], 'ab')],
  [['text'], 2, 'a shared prefix longer than the text before', frontCoded([0, 2], [1, 1], 'ab')],
  [['text'], 2, 'too few bytes', frontCoded([0, 1], [1, 2], 'ab')],
  [['text'], 2, 'a text that is too long', frontCoded([0, 1], [1, 600], `a${'b'.repeat(600)}`)],
  [['text', 'text'], 2, 'a key without its last part', frontCoded([0, 0], [3, 2], 'a\\ab\\')],
  [['ipv4'], 2, 'the same address twice', byColumns(null, [5, 0])],
  [['ipv4'], 2, 'an address beyond the last possible one', byColumns(null, [5, 2 ** 32])],
  [['ipv4'], 300, 'the same address twice in the second frame', byColumns(null, steps(200, 0))],
  [['ipv4'], 300, 'the same address at the end of a frame', byColumns(null, steps(127, 0))],
  [['ipv4'], 300, 'the same address at the beginning of a frame', byColumns(null, steps(128, 0))],
  [
    ['ipv4'],
    300,
    'a step that is too large in the last frame',
    byColumns(null, steps(299, 2 ** 32 - 299)),
  ],
  [['ipv4'], 300, 'a step of 53 bits', byColumns(null, steps(5, Number.MAX_SAFE_INTEGER))],
  [
    ['ipv4', 'ipv4'],
    300,
    'the same pair twice in the second frame',
    byColumns(null, Array<number>(300).fill(0), steps(200, 0)),
  ],
  [
    ['ipv4', 'ipv4'],
    300,
    'a second address that is too large where the first one changes',
    byColumns(null, steps(200, 1), steps(200, 2 ** 32)),
  ],
  [['mac'], 2, 'the same address twice, in two fields', byColumns(null, [5, 0], [7, 0])],
  [['mac'], 2, 'a second field that is too large', byColumns(null, [5, 0], [0xffff, 1])],
  [
    ['ip'],
    2,
    'a short address after a long one that begins with it',
    byColumns([1, 0], [5, 0], [9], [9], [9]),
  ],
  [['ip'], 2, 'an unknown shape', byColumns([0, 2], [5, 1], [], [], [])],
  [['subnet'], 1, 'a network of 33 bits', byColumns([0], [5], [33], [], [], [])],
  [['country'], 1, 'a country in lower case', byColumns(null, [0x4161])],
  [['ipv4'], 2, 'a column of an unknown form', Uint8Array.of(2, 0)],
  [['ipv4'], 2, 'more distinct numbers than numbers', Uint8Array.of(1, 3, 0, 0)],
];

describe('a section made by hand', () => {
  it.each(SOUND)('of %j, %i in number, is read: %s', (kinds, count, _, bytes) => {
    expect(unpacked(kinds, bytes, count).count).toBe(count);
  });

  it.each(UNSOUND)('of %j, %i in number, is damaged: %s', (kinds, count, _, bytes) => {
    const builder = new KeyListBuilder({ keys: 0, bytes: 0 });
    const reader = new ByteReader(bytes);
    expect(() => readKeySection(reader, codecOf(kinds), count, builder)).toThrow(DamagedSegment);
  });
});

describe('a damaged section', () => {
  it('yields ascending keys of the kind or a DamagedSegment, but never hangs', () => {
    for (const kinds of SOME_KINDS) {
      const codec = codecOf(kinds);
      fc.assert(
        fc.property(lists(kinds), fc.nat(), fc.nat(255), fc.nat(), (list, where, byte, end) => {
          const bytes = packed(kinds, list);
          if (bytes.length === 0) return;
          bytes[where % bytes.length] = byte;
          const cut = bytes.subarray(0, end % 2 === 0 ? bytes.length : end % bytes.length);
          const builder = new KeyListBuilder({ keys: 0, bytes: 0 });
          try {
            readKeySection(new ByteReader(cut), codec, list.count, builder);
          } catch (error) {
            expect(error).toBeInstanceOf(DamagedSegment);
            return;
          }
          const read = builder.finish();
          for (let i = 0; i < read.count; i += 1) {
            codec.check(keyAt(read, i), 0, keyAt(read, i).length);
          }
          const numbers = Array.from({ length: read.count }, (_, i) => i);
          const isAfter = (i: number) => i === 0 || compareKeys(read, i - 1, read, i) < 0;
          expect(numbers.every(isAfter)).toBe(true);
        }),
        { numRuns: Math.ceil(FUZZ_CASES / 2) },
      );
    }
  });

  it('of random bytes takes no more memory than its count of keys can need', () => {
    for (const kinds of SOME_KINDS) {
      fc.assert(
        fc.property(fc.uint8Array({ maxLength: 200 }), fc.nat(SECTION_KEYS), (bytes, count) => {
          let given = 0;
          const allocate = (size: number) => {
            given += size;
            return new ArrayBuffer(size);
          };
          const builder = new KeyListBuilder({ keys: 0, bytes: 0 }, allocate);
          try {
            readKeySection(new ByteReader(bytes), codecOf(kinds), count, builder);
          } catch (error) {
            expect(error).toBeInstanceOf(DamagedSegment);
          }
          // The builder doubles its room; the longest cross-key has 2,600 bytes.
          expect(given).toBeLessThanOrEqual(2 * count * (2_600 + 4));
        }),
        { numRuns: 50 },
      );
    }
  });
});
