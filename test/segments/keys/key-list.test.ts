import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { compareKeys as compareTexts } from '../../../domain/keys/compare-keys.ts';
import { splitCrossKey } from '../../../domain/keys/cross-key.ts';
import {
  compareKeys,
  findKey,
  type KeyList,
  keyAt,
  networkRange,
  type OrdinalRange,
  prefixRange,
} from '../../../segments/keys/key-list.ts';
import { isShared, KeyListBuilder } from '../../../segments/keys/key-list-builder.ts';
import { firstPartRanges, textRange } from '../../../segments/keys/key-ranges.ts';
import { byBytes, codecOf, listOf, RAW_PARTS, rawKeys, SOME_KINDS } from './random-keys.ts';

const anyKey = fc.array(fc.constantFrom(0, 1, 0x7f, 0x80, 0xfe, 0xff), { maxLength: 5 });
const anyBytes = anyKey.map((bytes) => Uint8Array.from(bytes));
const anyList = fc.array(anyBytes, { maxLength: 40, size: 'max' }).map(listOf);

const keysOf = (list: KeyList): Uint8Array[] =>
  Array.from({ length: list.count }, (_, i) => keyAt(list, i));

const inRange = (list: KeyList, { from, to }: OrdinalRange): Uint8Array[] =>
  keysOf(list).slice(from, to);

describe('a list of keys', () => {
  it('compares any key with any key of another list', () => {
    fc.assert(
      fc.property(anyList, anyList, (a, b) => {
        keysOf(a).forEach((left, i) => {
          keysOf(b).forEach((right, j) => {
            const order = compareKeys(a, i, b, j);
            expect(Math.sign(order)).toBe(byBytes(left, right));
          });
        });
      }),
      { numRuns: 50 },
    );
  });

  it('finds where a key is, or would be', () => {
    fc.assert(
      fc.property(anyList, anyBytes, (list, key) => {
        const keys = keysOf(list);
        expect(findKey(list, key)).toEqual({
          ordinal: keys.filter((other) => byBytes(other, key) < 0).length,
          isThere: keys.some((other) => byBytes(other, key) === 0),
        });
      }),
      { numRuns: 300 },
    );
  });

  it('finds the keys that begin with given bytes', () => {
    fc.assert(
      fc.property(anyList, anyBytes, (list, prefix) => {
        const wanted = keysOf(list).filter(
          (key) => byBytes(key.subarray(0, prefix.length), prefix) === 0,
        );
        expect(inRange(list, prefixRange(list, prefix))).toEqual(wanted);
      }),
      { numRuns: 300 },
    );
  });

  it('finds the keys that begin with given bits', () => {
    const bitsOf = (bytes: Uint8Array) =>
      [...bytes].map((byte) => byte.toString(2).padStart(8, '0')).join('');
    fc.assert(
      fc.property(anyList, anyBytes, fc.nat(), (list, bytes, some) => {
        const prefix = bitsOf(bytes).slice(0, some % (bytes.length * 8 + 1));
        const wanted = keysOf(list).filter((key) => bitsOf(key).startsWith(prefix));
        const found = inRange(list, networkRange(list, bytes, prefix.length));
        expect(found).toEqual(wanted);
      }),
      { numRuns: 300 },
    );
  });

  it.each([
    [24, ['C0.A8.01.00', 'C0.A8.01.FF']],
    [23, ['C0.A8.00.00', 'C0.A8.01.00', 'C0.A8.01.FF']],
    [32, ['C0.A8.01.FF']],
    [0, ['00.00.00.00', 'C0.A8.00.00', 'C0.A8.01.00', 'C0.A8.01.FF', 'C0.A8.02.00', 'FF.FF.FF.FF']],
    [1, ['C0.A8.00.00', 'C0.A8.01.00', 'C0.A8.01.FF', 'C0.A8.02.00', 'FF.FF.FF.FF']],
  ])('finds the addresses of 192.168.1.255/%i', (bits, wanted) => {
    const codec = codecOf(['ipv4']);
    const texts = [
      '00.00.00.00',
      'C0.A8.00.00',
      'C0.A8.01.00',
      'C0.A8.01.FF',
      'C0.A8.02.00',
      'FF.FF.FF.FF',
    ];
    const list = listOf(texts.map(codec.encode));
    const range = networkRange(list, codec.encode('C0.A8.01.FF'), bits);
    expect(inRange(list, range).map(codec.decode)).toEqual(wanted);
  });
});

describe('a list that grows', () => {
  const texts = Array.from({ length: 300 }, (_, i) => `${1000 + i}`);

  it('keeps the keys that were added, and trims the memory that it does not need', () => {
    const builder = new KeyListBuilder({ keys: 1, bytes: 2 });
    for (const text of texts) builder.add(Buffer.from(`..${text}.`), 2, 6);
    const list = builder.finish();
    expect(keysOf(list).map((key) => Buffer.from(key).toString())).toEqual(texts);
    expect([list.bytes.length, list.ends.length, list.count]).toEqual([1200, 300, 300]);
  });

  it('is in memory that its caller allocates', () => {
    const shared = (size: number) => new SharedArrayBuffer(size);
    const builder = new KeyListBuilder({ keys: 0, bytes: 0 }, shared);
    for (const text of texts) builder.add(Buffer.from(text));
    const { bytes, ends } = builder.finish();
    expect(bytes.buffer).toBeInstanceOf(SharedArrayBuffer);
    expect(ends.buffer).toBeInstanceOf(SharedArrayBuffer);
    expect(codecOf(['text']).decode(bytes.subarray(0, 4))).toBe('1000');
  });
});

describe('the keys of a list', () => {
  it('whose texts are in a range are found', () => {
    for (const kinds of SOME_KINDS) {
      const codec = codecOf(kinds);
      const bound = rawKeys(kinds).chain((text) =>
        fc.nat(text.length).map((end) => text.slice(0, end)),
      );
      fc.assert(
        fc.property(
          fc.array(rawKeys(kinds), { maxLength: 20 }),
          bound,
          bound,
          (texts, from, below) => {
            const list = listOf(texts.map(codec.encode));
            const found = inRange(list, textRange(list, codec, { from, below })).map(codec.decode);
            const wanted = [...new Set(texts)]
              .filter((text) => compareTexts(from, text) <= 0 && compareTexts(text, below) < 0)
              .toSorted(compareTexts);
            expect(found).toEqual(wanted);
          },
        ),
        { numRuns: 20 },
      );
    }
  });

  it('whose first part is given are found', () => {
    for (const kinds of SOME_KINDS.filter(({ length }) => length > 1)) {
      const codec = codecOf(kinds);
      const keys = fc.array(rawKeys(kinds), { minLength: 1, maxLength: 30, size: 'max' });
      const [kind = 'text'] = kinds;
      fc.assert(
        fc.property(keys, fc.option(RAW_PARTS[kind]), (texts, other) => {
          const part = other ?? splitCrossKey(texts[0] ?? '')?.[0] ?? '';
          const list = listOf(texts.map(codec.encode));
          const found = firstPartRanges(list, codec, part).flatMap((range) => inRange(list, range));
          const wanted = keysOf(list)
            .map(codec.decode)
            .filter((text) => splitCrossKey(text)?.[0] === part);
          expect(found.map(codec.decode)).toEqual(wanted);
        }),
        { numRuns: 50 },
      );
    }
  });

  it('are in two ranges if both parts are text', () => {
    const codec = codecOf(['text', 'text']);
    const list = listOf(['a\\A', 'a\\\\b\\c', 'a\\z', 'b\\a'].map(codec.encode));
    expect(firstPartRanges(list, codec, 'a')).toEqual([
      { from: 0, to: 1 },
      { from: 2, to: 3 },
    ]);
    expect(firstPartRanges(list, codec, 'a\\b')).toEqual([{ from: 1, to: 2 }]);
    expect(firstPartRanges(list, codec, 'c')).toEqual([]);
  });
});

describe('the ends of keys of one length', () => {
  const even = (length: number, keys: number): KeyListBuilder => {
    const builder = new KeyListBuilder({ keys: 0, bytes: 0 });
    builder.length = builder.reserveEven(keys, length);
    builder.count = keys;
    return builder;
  };

  it('are shared by lists, also of other sizes, and stay right', () => {
    const small = even(4, 3).finish();
    const large = even(4, 200_000).finish();
    const other = even(6, 3).finish();
    expect([...small.ends]).toEqual([4, 8, 12]);
    expect([...other.ends]).toEqual([6, 12, 18]);
    expect(large.ends).toHaveLength(200_000);
    expect(large.ends.every((end, i) => end === 4 * (i + 1))).toBe(true);
    expect(even(4, 150_000).finish().ends.buffer).toBe(large.ends.buffer);
    expect([small, large, other].map(({ ends }) => isShared(ends))).toEqual([true, true, true]);
  });

  it('are copied before a key of another length is added', () => {
    const builder = even(4, 3);
    builder.add(Uint8Array.of(255, 255, 255, 255, 255));
    const { ends, count } = builder.finish();
    expect([...ends]).toEqual([4, 8, 12, 17]);
    expect(count).toBe(4);
    expect(isShared(ends)).toBe(false);
    expect([...even(4, 4).finish().ends]).toEqual([4, 8, 12, 16]);
  });

  it('are written after keys of another length', () => {
    const builder = new KeyListBuilder({ keys: 2, bytes: 3 });
    builder.add(Uint8Array.of(1, 2, 3));
    expect(builder.reserveEven(2, 4)).toBe(11);
    expect([...builder.ends.subarray(0, 3)]).toEqual([3, 7, 11]);
  });
});
