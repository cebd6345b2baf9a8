import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type KeyList, keyAt } from '../../../segments/keys/key-list.ts';
import { uniteKeys } from '../../../segments/keys/unite-keys.ts';
import { FUZZ_CASES } from '../../support/random/fuzz-cases.ts';
import { byBytes, codecOf, listOf, rawKeys, SOME_KINDS } from './random-keys.ts';

const keysOf = (list: KeyList): Uint8Array[] =>
  Array.from({ length: list.count }, (_, i) => keyAt(list, i).slice());

/** Compares the union with the sorted keys of all lists, and each map with the keys of its list. */
function expectUnion(lists: readonly KeyList[]): void {
  const { keys, maps } = uniteKeys(lists);
  expect(keys).toEqual(listOf(lists.flatMap(keysOf)));
  expect(maps).toHaveLength(lists.length);
  lists.forEach((list, i) => {
    const map = [...(maps[i] ?? [])];
    expect(map.map((ordinal) => keyAt(keys, ordinal))).toEqual(keysOf(list));
  });
}

const sets = (keys: fc.Arbitrary<Uint8Array>, most: number): fc.Arbitrary<KeyList[]> =>
  fc.array(fc.array(keys, { maxLength: most, size: 'max' }).map(listOf), {
    minLength: 1,
    maxLength: 6,
  });

/** Few different bytes, so that lists share keys; some are at the limits of signed numbers. */
const bytes = (most: number, least = 0) =>
  fc
    .array(fc.constantFrom(0, 1, 0x7f, 0x80, 0xff), { minLength: least, maxLength: most })
    .map((all) => Uint8Array.from(all));

describe('the union of lists of keys', () => {
  it('of four bytes has each key once, and maps the ordinals of each list', () => {
    fc.assert(fc.property(sets(bytes(4, 4), 200), expectUnion), { numRuns: FUZZ_CASES });
  });

  it('of up to four bytes does too', () => {
    fc.assert(fc.property(sets(bytes(4), 100), expectUnion), { numRuns: FUZZ_CASES });
  });

  it('of any bytes does too', () => {
    const long = fc
      .tuple(fc.constantFrom(0, 4, 5, 6), bytes(4))
      .map(([zeros, rest]) => Uint8Array.of(...new Uint8Array(zeros), ...rest));
    fc.assert(fc.property(sets(fc.oneof(long, bytes(9)), 100), expectUnion), {
      numRuns: FUZZ_CASES,
    });
  });

  it('of every kind does too', () => {
    for (const kinds of SOME_KINDS) {
      const codec = codecOf(kinds);
      fc.assert(fc.property(sets(rawKeys(kinds).map(codec.encode), 40), expectUnion), {
        numRuns: Math.ceil(FUZZ_CASES / 20),
      });
    }
  });

  it('works if some lists have keys of four bytes only, and others also longer ones', () => {
    const codec = codecOf(['ip']);
    const short = ['0A.00.00.01', '0A.00.00.02', 'FF.00.00.00'];
    const long = ['0A.00.00.01.00.00.00.00.00.00.00.00.00.00.00.00', '0A.00.00.02'];
    const lists = [short, long, short].map((texts) => listOf(texts.map(codec.encode)));
    const { keys, maps } = uniteKeys(lists);
    expect(keysOf(keys).map(codec.decode)).toEqual([
      '0A.00.00.01',
      '0A.00.00.01.00.00.00.00.00.00.00.00.00.00.00.00',
      '0A.00.00.02',
      'FF.00.00.00',
    ]);
    expect(maps.map((map) => [...map])).toEqual([
      [0, 2, 3],
      [1, 2],
      [0, 2, 3],
    ]);
  });

  it('works for other keys whose total length would fit the same number of addresses', () => {
    expectUnion([
      listOf([Uint8Array.of(1, 2, 3), Uint8Array.of(1, 2, 3, 4, 5)]),
      listOf([Uint8Array.of(1, 2, 3, 4)]),
    ]);
  });

  it('is empty for no lists, or for empty ones', () => {
    expect(uniteKeys([]).keys.count).toBe(0);
    expectUnion([listOf([]), listOf([])]);
    expectUnion([listOf([]), listOf([Uint8Array.of(1)]), listOf([])]);
  });

  it('is in memory that its caller allocates', () => {
    const shared = (size: number) => new SharedArrayBuffer(size);
    for (const lengths of [[4, 4, 4], [4, 9, 9], [9]]) {
      const lists = lengths.map((length, i) => listOf([new Uint8Array(length).fill(i % 2)]));
      const { keys, maps } = uniteKeys(lists, shared);
      for (const { buffer } of [keys.bytes, keys.ends, ...maps]) {
        expect(buffer).toBeInstanceOf(SharedArrayBuffer);
      }
    }
  });

  it('leaves the lists as they are', () => {
    const lists = [listOf([Uint8Array.of(1), Uint8Array.of(9)]), listOf([Uint8Array.of(1)])];
    const before = lists.map(keysOf);
    const { keys } = uniteKeys(lists);
    keys.bytes.fill(0);
    expect(lists.map(keysOf)).toEqual(before);
    expect(byBytes(before[0]?.[0] ?? new Uint8Array(), Uint8Array.of(1))).toBe(0);
  });
});
