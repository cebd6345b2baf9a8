import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { findKey } from '../../segments/keys/key-list.ts';
import { SECTION_KEYS } from '../../segments/keys/key-section.ts';
import type { Directory } from '../../segments/pages/directory.ts';
import { locateKey } from '../../segments/pages/locate-key.ts';
import { readKeysOfSection } from '../../segments/pages/read-range.ts';
import { checkWholeSegment } from './check-whole-segment.ts';
import { CODEC, openSegment, SHAPE, writeSegment } from './plain-segments.ts';

const hex = (byte: number): string => byte.toString(16).toUpperCase().padStart(2, '0');

const address = (number: number): string =>
  `0A.${hex(number >> 16)}.${hex((number >> 8) & 255)}.${hex(number & 255)}`;

/** Every other number is a key, so that one is missing between any two. */
const COUNT = 2 * SECTION_KEYS + 100;
const RANGES = { keys: SECTION_KEYS + 50, rows: 1_000_000 };

const segment = writeSegment(
  Array.from({ length: COUNT }, (_, i) => ({
    key: address(2 * i + 1),
    bucket: 600,
    readings: [{ value: 1n, count: 1n }, null, null, null, null, null],
  })),
  RANGES,
);
const { directory, sections } = openSegment(segment);

function has(number: number): boolean {
  const key = CODEC.encode(address(number));
  const location = locateKey(directory, key);
  if (location === null) return false;
  const isThere = findKey(readKeysOfSection(location, CODEC, sections), key).isThere;
  if (location.isNamed) expect(isThere).toBe(true);
  return isThere;
}

describe('the section of a key', () => {
  it('has the key if the segment has it, in ranges of several sections', () => {
    expect(directory.ranges.map(({ keys }) => keys.length)).toEqual([2, 2]);
    fc.assert(
      fc.property(fc.nat({ max: 2 * COUNT + 10 }), (number) => {
        expect(has(number)).toBe(number % 2 === 1 && number < 2 * COUNT);
      }),
      { numRuns: 300 },
    );
  });

  it('is right at both ends of every section, whose keys the directory names', () => {
    let ordinal = 0;
    for (const { keyCount } of directory.ranges) {
      for (let from = 0; from < keyCount; from += SECTION_KEYS) {
        const first = 2 * (ordinal + from) + 1;
        const last = 2 * (ordinal + Math.min(from + SECTION_KEYS, keyCount)) - 1;
        expect([first - 1, first, last, last + 1].map(has)).toEqual([false, true, true, false]);
        expect(locateKey(directory, CODEC.encode(address(first)))?.isNamed).toBe(true);
      }
      ordinal += keyCount;
    }
    expect(locateKey(directory, CODEC.encode(address(2 * COUNT - 1)))?.isNamed).toBe(true);
  });

  it('is compared with the keys that it has by the check of a segment', () => {
    const wrong: Directory = {
      ...directory,
      ranges: directory.ranges.map((range) => ({
        ...range,
        sectionKeys: range.sectionKeys.map(() => CODEC.encode(address(0))),
      })),
    };
    const check = (checked: Directory) => [
      ...checkWholeSegment({ directory: checked, sections, shape: SHAPE, codec: CODEC }),
    ];
    expect(check(directory)).toEqual([]);
    expect(check(wrong)).toEqual(
      [1, 2].map(
        (range) =>
          `range ${range}: a section of its keys begins with another key than the directory says`,
      ),
    );
  });
});
