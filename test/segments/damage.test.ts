import { isDeepStrictEqual } from 'node:util';
import { crc32 } from 'node:zlib';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readGroupHeads } from '../../segments/blocks/heads.ts';
import { ByteReader, ByteWriter } from '../../segments/codes/bytes.ts';
import { readColumn, writeColumn } from '../../segments/codes/column-code.ts';
import { DamagedSegment } from '../../segments/damaged-segment.ts';
import { SECTION_KEYS } from '../../segments/keys/key-section.ts';
import {
  type Directory,
  type LocatedLevel,
  readDirectory,
  type SectionLocation,
} from '../../segments/pages/directory.ts';
import { openPage, sealPage } from '../../segments/pages/page.ts';
import { readKeys } from '../../segments/pages/read-range.ts';
import type { Sections } from '../../segments/pages/sections.ts';
import { checkWholeSegment } from './check-whole-segment.ts';
import { manySamples } from './many-keys.ts';
import {
  CODEC,
  openSegment,
  type PlainSample,
  type PlainSegment,
  SHAPE,
  samples,
  writeSegment,
} from './plain-segments.ts';

/** null: a DamagedSegment was thrown. Any other error is a bug. */
function orDamaged<T>(read: () => T): T | null {
  try {
    return read();
  } catch (error) {
    if (error instanceof DamagedSegment) return null;
    throw error;
  }
}

/** What a check of a segment finds; null: a DamagedSegment was thrown. */
const findings = (directory: Directory, sections: Sections): string[] | null =>
  orDamaged(() => [...checkWholeSegment({ directory, sections, shape: SHAPE, codec: CODEC })]);

const isWhole = (found: string[] | null): boolean => found !== null && found.length === 0;

const flipped = (bytes: Uint8Array, bit: number): Uint8Array => {
  const copy = bytes.slice();
  const at = (bit >> 3) % copy.length;
  copy[at] = (copy[at] ?? 0) ^ (1 << (bit & 7));
  return copy;
};

describe('damage', () => {
  it('of one bit in any page is found by its digest', () => {
    fc.assert(
      fc.property(samples, fc.nat(), fc.nat(), (list, which, bit) => {
        const segment = writeSegment(list);
        const number = which % segment.pages.length;
        const pages = segment.pages.map((page, i) => (i === number ? flipped(page, bit) : page));
        const { directory, sections } = openSegment({ ...segment, pages });
        expect(findings(directory, sections)).toBeNull();
      }),
      { numRuns: 100 },
    );
  });

  it('of one bit in the directory, or a truncated directory, is found', () => {
    fc.assert(
      fc.property(samples, fc.nat(), (list, bit) => {
        const { directory } = writeSegment(list);
        expect(() => readDirectory(flipped(directory, bit))).toThrow(DamagedSegment);
        const cut = directory.subarray(0, bit % directory.length);
        expect(() => readDirectory(cut)).toThrow(DamagedSegment);
      }),
      { numRuns: 100 },
    );
  });

  it('of a directory whose digest fits yields sections in order, or a DamagedSegment', () => {
    fc.assert(
      fc.property(samples, fc.array(fc.nat(), { minLength: 1, maxLength: 3 }), (list, bits) => {
        const { directory } = writeSegment(list);
        const body = bits.reduce(flipped, directory.subarray(0, -4));
        const bytes = Uint8Array.from([...body, 0, 0, 0, 0]);
        new DataView(bytes.buffer).setUint32(body.length, crc32(body), true);
        try {
          expectInOrder(readDirectory(bytes));
        } catch (error) {
          if (!(error instanceof DamagedSegment)) throw error;
        }
      }),
      { numRuns: 300 },
    );
  });

  it('is found if a range claims more keys than there is memory for', () => {
    const { directory, sections } = openSegment(writeSegment(LIST));
    for (const range of directory.ranges) {
      for (const keyCount of [range.keyCount + 1, SECTION_KEYS + 1, Number.MAX_SAFE_INTEGER]) {
        const read = () => readKeys({ ...range, keyCount }, CODEC, sections);
        expect(read).toThrow(DamagedSegment);
      }
    }
  });

  it('is found if a page is in the place of another, or from another segment', () => {
    const page = sealPage(Uint8Array.of(1, 2, 3), { nonce: 7, number: 4 });
    expect([...openPage(page, { nonce: 7, number: 4 })]).toEqual([1, 2, 3]);
    expect(() => openPage(page, { nonce: 7, number: 5 })).toThrow('the digest of page 5');
    expect(() => openPage(page, { nonce: 8, number: 4 })).toThrow('the digest of page 4');
    expect(() => openPage(page.subarray(0, 3), { nonce: 7, number: 4 })).toThrow('cut short');
  });

  it('that no digest shows yields findings or a DamagedSegment, and never another error', () => {
    fc.assert(
      fc.property(samples, fc.array(fc.nat(), { minLength: 1, maxLength: 3 }), (list, bits) => {
        const segment = resealed(writeSegment(list), (sections, page) =>
          bits.reduce((bytes, bit) => flipped(bytes, bit + page), sections),
        );
        const { directory, sections } = openSegment(segment);
        findings(directory, sections);
      }),
      { numRuns: 300 },
    );
  });
});

/** The sections of a directory follow each other, each once, in pages without a gap. */
function expectInOrder({ ranges, pageCount }: Directory): void {
  let last: SectionLocation = { page: -1, from: 0, to: 0 };
  const next = (section: SectionLocation | null) => {
    if (section === null) return;
    const isOpened = section.page === last.page + 1 && section.from === 0;
    expect(isOpened || (section.page === last.page && section.from === last.to)).toBe(true);
    expect(section.to).toBeGreaterThan(section.from);
    last = section;
  };
  for (const { keys, levels, series } of ranges) {
    keys.forEach(next);
    for (const { groups } of levels) {
      for (const { ordinals, columns, heads } of groups) {
        [ordinals, ...columns, ...heads].forEach(next);
      }
    }
    for (const { entries, columns } of series) [entries, ...columns].forEach(next);
  }
  expect(last.page + 1).toBe(pageCount);
}

describe('the lists of a directory', () => {
  it('are the same in whatever order, and however often, they are read', () => {
    fc.assert(
      fc.property(samples, (list) => {
        const { directory: bytes } = writeSegment(list);
        expectInOrder(readDirectory(bytes));
        const backwards = readDirectory(bytes);
        for (const { levels, series } of backwards.ranges.toReversed()) {
          expect(series).toBe(series);
          for (const level of levels.toReversed()) expect(level.groups).toBe(level.groups);
        }
        expect(backwards).toEqual(readDirectory(bytes));
        expectInOrder(backwards);
      }),
      { numRuns: 50 },
    );
  });
});

/** A segment with changed sections and fitting digests, as a faulty writer would store it. */
function resealed(
  segment: PlainSegment,
  change: (sections: Uint8Array, page: number) => Uint8Array,
): PlainSegment {
  const { nonce } = readDirectory(segment.directory);
  const pages = segment.pages.map((page, number) => {
    const identity = { nonce, number };
    return sealPage(change(openPage(page, identity), number), identity);
  });
  return { ...segment, pages };
}

/** Two keys, five buckets over two topper buckets: every kind of section, one of each. */
const LIST: PlainSample[] = [0, 1, 2, 3, 6].flatMap((minute) =>
  ['C0.A8.01.01', 'C0.A8.01.02'].map((key) => ({
    key,
    bucket: 600 + 60 * minute,
    readings: [
      { value: 5n, count: 1n },
      { value: 8n, count: 2n },
      null,
      { value: 40n + BigInt(minute), count: 1n },
      { value: 9n, count: 1n },
      { value: 0n, count: 1n },
    ],
  })),
);

describe('a wrong number whose digest fits', () => {
  const segment = writeSegment(LIST);
  const { directory, sections } = openSegment(segment);
  const [range] = directory.ranges;
  if (!range) throw new Error('the segment has a range');
  const whole = range.levels[0];
  const finest = range.levels.at(-1);
  const [chunk] = range.series;

  it.each<[string, SectionLocation | null | undefined, number]>([
    ['a sum of the whole span', whole?.groups[0]?.columns[0], 1],
    ['a sum of buckets', finest?.groups[0]?.columns[0], 5],
    ['an extreme of the whole span', whole?.groups[0]?.columns[3], 1],
    ['a sum of series', chunk?.columns[0], 0],
  ])('is found in %s', (_, place) => {
    if (!place) throw new Error('the section exists');
    const changed = resealed(segment, (bytes, page) =>
      page === place.page ? withOneMore(bytes, place) : bytes,
    );
    const open = openSegment(changed);
    const found = findings(open.directory, open.sections);
    expect(found).not.toEqual([]);
  });

  it('is not found in a segment without one', () => {
    expect(isWhole(findings(directory, sections))).toBe(true);
  });
});

describe('a wrong head whose digest fits', () => {
  const segment = writeSegment(manySamples({ keys: 4500, hours: 3 }), { keys: 5000, rows: 1e6 });
  const { directory } = openSegment(segment);
  const [whole, hours] = directory.ranges[0]?.levels ?? [];

  it.each<[string, LocatedLevel | undefined, number, number]>([
    ['the whole span', whole, 0, 0],
    ['a rate', whole, 0, 5],
    ['an hour', hours, -1, 0],
  ])('is found in that of %s, whatever bit is wrong', (_, level, group, meter) => {
    const { heads, firstStart } = level?.groups.at(group) ?? {};
    const place = heads?.[meter];
    if (!level || firstStart === undefined || !place) throw new Error('the section exists');
    const times = { stepSeconds: level.stepSeconds, first: firstStart };
    const read = ({ sections: of }: ReturnType<typeof openSegment>) =>
      orDamaged(() => readGroupHeads(of(place), CODEC, times));
    const right = read(openSegment(segment));
    expect(right?.size).toBeGreaterThan(0);
    fc.assert(
      fc.property(fc.nat(), (bit) => {
        const changed = resealed(segment, (bytes, page) =>
          page === place.page ? withFlipped(bytes, place, bit) : bytes,
        );
        const open = openSegment(changed);
        // A few bits mean nothing, such as those that fill the last byte of packed numbers.
        const isSame = isDeepStrictEqual(read(open), right);
        expect(isWhole(findings(open.directory, open.sections))).toBe(isSame);
      }),
      { numRuns: 8 },
    );
  });

  it('is not found in a segment without one, nor in its directory', () => {
    const { sections } = openSegment(segment);
    expect(findings(directory, sections)).toEqual([]);
    expectInOrder(directory);
  });
});

const withFlipped = (bytes: Uint8Array, { from, to }: SectionLocation, bit: number): Uint8Array => {
  const copy = bytes.slice();
  copy.set(flipped(copy.subarray(from, to), bit), from);
  return copy;
};

/** Flips the lowest bit of the last byte of a section, whose length stays. */
function withOneMore(bytes: Uint8Array, { from, to }: SectionLocation): Uint8Array {
  const copy = bytes.slice();
  copy[to - 1] = (copy[to - 1] ?? 0) ^ 1;
  expect(to).toBeGreaterThan(from);
  return copy;
}

describe('a column', () => {
  it('with flags that no writer sets is refused', () => {
    const out = new ByteWriter();
    const column = { values: { low: Float64Array.of(3, 4), high: null }, counts: null };
    writeColumn(out, column, { from: 0, to: 2 });
    const bytes = out.take();
    bytes[0] = 64;
    expect(() => readColumn(new ByteReader(bytes), 2)).toThrow('unknown flags 64');
  });
});
