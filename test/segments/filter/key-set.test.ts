import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  addAll,
  addKey,
  addRange,
  addWithin,
  copyKeySet,
  emptyKeySet,
  fullKeySet,
  hasKey,
  type KeySet,
  nextKey,
  removeAll,
  removeKey,
} from '../../../segments/filter/key-set.ts';
import { sizeOfKeySet } from './size-of-key-set.ts';

const COUNT = 100;
const ORDINAL = fc.nat(COUNT - 1);
const ORDINALS = fc.uniqueArray(ORDINAL).map((all) => all.sort((a, b) => a - b));

function setOf(ordinals: readonly number[], count = COUNT): KeySet {
  const set = emptyKeySet(count);
  for (const ordinal of ordinals) addKey(set, ordinal);
  return set;
}

const ordinalsOf = (set: KeySet): number[] =>
  Array.from({ length: 32 * set.words.length }, (_, i) => i).filter((i) => hasKey(set, i));

describe('a set of keys', () => {
  it('has and counts the keys that were added and not removed', () => {
    fc.assert(
      fc.property(ORDINALS, ORDINALS, (added, removed) => {
        const set = setOf(added);
        for (const ordinal of removed) removeKey(set, ordinal);
        const expected = added.filter((each) => !removed.includes(each));
        expect(ordinalsOf(set)).toEqual(expected);
        expect(sizeOfKeySet(set)).toBe(expected.length);
      }),
    );
  });

  it('has no keys beyond its size, and is in memory that threads share', () => {
    for (const count of [0, 1, 31, 32, 33]) {
      const set = fullKeySet(count);
      for (let ordinal = 0; ordinal < 200; ordinal += 1) {
        expect(hasKey(set, ordinal)).toBe(ordinal < count);
      }
      expect(hasKey(set, 0xffff_ffff)).toBe(false);
    }
    expect(emptyKeySet(40).words.buffer).toBeInstanceOf(SharedArrayBuffer);
  });

  it.each([0, 1, 31, 32, 33, 64, 100])('is full with %i keys and none beyond them', (count) => {
    expect(ordinalsOf(fullKeySet(count))).toEqual(Array.from({ length: count }, (_, i) => i));
  });

  it('adds ranges, entire or limited to the keys of another set', () => {
    fc.assert(
      fc.property(ORDINALS, ORDINALS, fc.nat(COUNT), fc.nat(COUNT), (own, others, from, to) => {
        const isIn = (each: number) => from <= each && each < to;
        const whole = setOf(own);
        addRange(whole, { from, to });
        const all = Array.from({ length: COUNT }, (_, i) => i);
        expect(ordinalsOf(whole)).toEqual(all.filter((each) => own.includes(each) || isIn(each)));
        const within = setOf(own);
        addWithin(within, setOf(others), { from, to });
        expect(ordinalsOf(within)).toEqual(
          all.filter((each) => own.includes(each) || (others.includes(each) && isIn(each))),
        );
      }),
    );
  });

  it('adds or removes the keys of another set, and leaves that as it was', () => {
    fc.assert(
      fc.property(ORDINALS, ORDINALS, (own, others) => {
        const other = setOf(others);
        const united = setOf(own);
        addAll(united, other);
        const rest = setOf(own);
        removeAll(rest, other);
        expect(ordinalsOf(united)).toEqual([...new Set([...own, ...others])].sort((a, b) => a - b));
        expect(ordinalsOf(rest)).toEqual(own.filter((each) => !others.includes(each)));
        expect(ordinalsOf(other)).toEqual(others);
        expect(ordinalsOf(copyKeySet(other))).toEqual(others);
      }),
    );
  });

  it('finds its next key, or returns the number of keys', () => {
    fc.assert(
      fc.property(ORDINALS, fc.nat(COUNT + 5), (own, from) => {
        expect(nextKey(setOf(own), from)).toBe(own.find((each) => each >= from) ?? COUNT);
      }),
    );
  });
});
