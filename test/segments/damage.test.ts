import { isDeepStrictEqual } from 'node:util';
import { crc32 } from 'node:zlib';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ByteReader, ByteWriter } from '../../segments/codes/bytes.ts';
import { readColumn, writeColumn } from '../../segments/codes/column-code.ts';
import { DamagedSegment } from '../../segments/damaged-segment.ts';
import { readHead } from '../../segments/heads/head.ts';
import { SECTION_KEYS } from '../../segments/keys/key-section.ts';
import { type Directory, readDirectory } from '../../segments/pages/directory.ts';
import { openPage, PAGE_BYTES, sealPage } from '../../segments/pages/page.ts';
import { readKeys } from '../../segments/pages/read-range.ts';
import {
  pageCountOf,
  pagesOfSections,
  type SectionLocation,
  type Sections,
} from '../../segments/pages/sections.ts';
import { FUZZ_CASES } from '../support/random/fuzz-cases.ts';
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
      { numRuns: FUZZ_CASES },
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
      { numRuns: FUZZ_CASES },
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
      { numRuns: 2 * FUZZ_CASES },
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
      { numRuns: 2 * FUZZ_CASES },
    );
  });
});

/** The sections of a directory follow each other without a gap, up to the last page. */
function expectInOrder(directory: Directory): void {
  let end = 0;
  for (const section of sectionsIn(directory)) {
    expect(section.from).toBe(end);
    expect(section.to).toBeGreaterThan(section.from);
    end = section.to;
  }
  expect(directory.pageCount).toBe(pageCountOf(end));
}

function sectionsIn({ ranges, heads, headSeries }: Directory): SectionLocation[] {
  const ofRanges = ranges.flatMap(({ keys, span, tiles }) => [
    ...keys,
    ...(span ?? []),
    ...tiles.flatMap((tile) => [tile.keys, tile.times, ...tile.totals, ...tile.values]),
  ]);
  const ofHeads = heads ? [...heads.span, ...heads.tiles.flatMap((tile) => tile.heads)] : [];
  const ofSeries = headSeries ? [headSeries.keys, headSeries.entries, ...headSeries.columns] : [];
  return [...ofRanges, ...ofHeads, ...ofSeries].filter((section) => section !== null);
}

describe('the lists of a directory', () => {
  it('are the same in whatever order, and however often, they are read', () => {
    fc.assert(
      fc.property(samples, (list) => {
        const { directory: bytes } = writeSegment(list);
        expectInOrder(readDirectory(bytes));
        const backwards = readDirectory(bytes);
        for (const range of backwards.ranges.toReversed()) expect(range.tiles).toBe(range.tiles);
        expect(backwards).toEqual(readDirectory(bytes));
        expectInOrder(backwards);
      }),
      { numRuns: Math.ceil(FUZZ_CASES / 2) },
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

/** Two keys, five buckets over two topper buckets and two tiles: every kind of section. */
const LIST: PlainSample[] = [0, 1, 2, 3, 63].flatMap((minute) =>
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

/** Changes a section, and seals its pages again. */
function withSection(
  segment: PlainSegment,
  { from, to }: SectionLocation,
  change: (section: Uint8Array) => Uint8Array,
): PlainSegment {
  const changed = change(openSegment(segment).sections({ from, to }));
  return resealed(segment, (sections, page) => {
    const copy = sections.slice();
    const first = page * PAGE_BYTES;
    for (let at = Math.max(from, first); at < Math.min(to, first + copy.length); at += 1) {
      copy[at - first] = changed[at - from] as number;
    }
    return copy;
  });
}

describe('a wrong number whose digest fits', () => {
  const segment = writeSegment(LIST);
  const { directory, sections } = openSegment(segment);
  const [range] = directory.ranges;
  if (!range) throw new Error('the segment has a range');
  const [tile] = range.tiles;

  it.each<[string, SectionLocation | null | undefined, number]>([
    ['a sum of the span', range.span?.[0], 1],
    ['an extreme of the span', range.span?.[3], 1],
    ['a total of a tile', tile?.totals[0], 1],
    ['an extreme of a tile', tile?.totals[3], 1],
    ['a reading of a mean', tile?.values[1], 1],
  ])('is found in %s', (_, place) => {
    if (!place) throw new Error('the section exists');
    const open = openSegment(withSection(segment, place, withOneMore));
    expect(isWhole(findings(open.directory, open.sections))).toBe(false);
  });

  it('is not found in a segment without one', () => {
    expect(isWhole(findings(directory, sections))).toBe(true);
  });
});

describe('a wrong head whose digest fits', () => {
  const segment = writeSegment(manySamples({ keys: 9500, hours: 2 }), { keys: 5000, rows: 1e6 });
  const { directory } = openSegment(segment);
  const { heads, headSeries } = directory;

  it.each<[string, SectionLocation | null | undefined]>([
    ['the span', heads?.span[0]],
    ['a rate', heads?.span[5]],
    ['an hour', heads?.tiles.at(-1)?.heads[0]],
  ])('is found in that of %s, whatever bit is wrong', (_, place) => {
    if (!place) throw new Error('the section exists');
    const read = ({ sections: of }: ReturnType<typeof openSegment>) =>
      orDamaged(() => readHead(of(place), CODEC));
    const right = read(openSegment(segment));
    expect(right?.keyCount).toBeGreaterThan(0);
    fc.assert(
      fc.property(fc.nat(), (bit) => {
        const open = openSegment(withSection(segment, place, (bytes) => flipped(bytes, bit)));
        // A few bits mean nothing, such as those that fill the last byte of packed numbers.
        const isSame = isDeepStrictEqual(read(open), right);
        expect(isWhole(findings(open.directory, open.sections))).toBe(isSame);
      }),
      { numRuns: 5 },
    );
  });

  it.each<[string, SectionLocation | null | undefined]>([
    ['times', headSeries?.entries],
    ['a meter', headSeries?.columns[0]],
  ])('is found in the %s of head series', (_, place) => {
    if (!place) throw new Error('the section exists');
    const open = openSegment(withSection(segment, place, withOneMore));
    expect(isWhole(findings(open.directory, open.sections))).toBe(false);
  });

  it('is not found in a segment without one, nor in its directory', () => {
    const { sections } = openSegment(segment);
    expect(findings(directory, sections)).toEqual([]);
    expectInOrder(directory);
    expect(pagesOfSections(sectionsIn(directory)).size).toBe(directory.pageCount);
  });
});

/** Flips the lowest bit of the last byte of a section, whose length stays. */
function withOneMore(section: Uint8Array): Uint8Array {
  const copy = section.slice();
  copy[copy.length - 1] = (copy.at(-1) as number) ^ 1;
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
