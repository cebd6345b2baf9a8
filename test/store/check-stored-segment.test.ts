import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { inTransaction } from '../../db/connection/connection.ts';
import { copiesOf } from '../../db/session/copy-source.ts';
import { SEALED_LEVEL } from '../../domain/slices/segment-level.ts';
import type { Directory } from '../../segments/pages/directory.ts';
import { openPage, PAGE_BYTES, sealPage } from '../../segments/pages/page.ts';
import type { SectionLocation } from '../../segments/pages/sections.ts';
import { checkStoredSegment } from '../../store/check/check-stored-segment.ts';
import { fetchPages } from '../../store/read/fetch-pages.ts';
import type { StoredSegment } from '../../store/read/manifest.ts';
import { type PlainSample, SHAPE, samples } from '../segments/plain-segments.ts';
import {
  DAY_START,
  importLists,
  minute,
  openStoreLab,
  publish,
  type StoreLab,
  sample,
} from './store-lab.ts';

let lab: StoreLab;

beforeAll(async () => {
  lab = await openStoreLab();
});

afterAll(() => lab.close());

async function faultsOf(segment: StoredSegment): Promise<string[]> {
  const faults: string[] = [];
  for await (const fault of checkStoredSegment(copiesOf(lab.reader), segment, SHAPE)) {
    faults.push(fault);
  }
  return faults;
}

/** Writes a segment, and leaves no other live. */
async function stored(list = [1, 2, 3, 4, 5, 6, 7].flatMap((n) => minute(n, 9)), level = 0) {
  const removed = [...(await lab.manifest()).segments.keys()];
  await inTransaction(lab.importer, () => publish(lab.importer, { removed }));
  await importLists(lab.importer, [{ list, scope: { level } }]);
  const [segment] = (await lab.manifest()).segments.values();
  if (!segment) throw new Error('there is a segment');
  return segment;
}

/** More keys than a segment without heads has, in two topper buckets. */
const manyHosts = (): PlainSample[] =>
  Array.from({ length: 10_000 }, (_, i) => ({
    ...sample(0, DAY_START + 300 * (i % 2), i),
    key: `0A.00.${hex(i >> 9)}.${hex((i >> 1) & 255)}`,
  }));

const hex = (byte: number): string => byte.toString(16).toUpperCase().padStart(2, '0');

/** Flips the last bit of a section, and gives its page a digest that fits. */
async function flipLastBit(segment: StoredSegment, { to }: SectionLocation): Promise<void> {
  const number = Math.floor((to - 1) / PAGE_BYTES);
  const pages = await fetchPages(copiesOf(lab.reader), [{ segment, pages: [number] }]);
  const page = pages.get(segment.segmentId)?.get(number) ?? new Uint8Array(0);
  const identity = { nonce: segment.directory().nonce, number };
  const sections = Uint8Array.from(openPage(page, identity));
  const at = (to - 1) % PAGE_BYTES;
  sections[at] = (sections[at] ?? 0) ^ 1;
  await lab.importer.query(
    'update open_segment_pages set bytes = $3 where segment_id = $1 and page = $2',
    [segment.segmentId, number, Buffer.from(sealPage(sections, identity))],
  );
}

describe('the check of a stored segment', () => {
  it('finds nothing wrong with an intact segment', async () => {
    await fc.assert(
      fc.asyncProperty(samples, fc.constantFrom(0, SEALED_LEVEL), async (list, level) => {
        expect(await faultsOf(await stored(list, level))).toEqual([]);
      }),
      { numRuns: 20 },
    );
  });

  it('finds a flipped bit in any page', async () => {
    await fc.assert(
      fc.asyncProperty(samples, fc.nat(), fc.nat(), async (list, which, bit) => {
        const segment = await stored(list);
        const page = which % segment.pageCount;
        await lab.importer.query(
          `update open_segment_pages
           set bytes = set_bit(bytes, $3 % bit_length(bytes)::int,
             1 - get_bit(bytes, $3 % bit_length(bytes)::int))
           where segment_id = $1 and page = $2`,
          [segment.segmentId, page, bit],
        );
        expect(await faultsOf(segment)).toContainEqual(
          expect.stringMatching(
            `^the digest of page ${page} does not fit its bytes \\([a-z0-9, ]+\\)$`,
          ),
        );
      }),
      { numRuns: 20 },
    );
  });

  it.each([
    ['heads', ({ heads }: Directory) => heads?.span[0], 'the heads of the span do not have'],
    ['head series', ({ headSeries }: Directory) => headSeries?.columns[0], 'the head series are'],
  ])('finds wrong %s on a page whose digest fits', async (_, sectionOf, fault) => {
    const segment = await stored(manyHosts());
    expect(await faultsOf(segment)).toEqual([]);
    const section = sectionOf(segment.directory());
    if (!section) throw new Error('a segment of many keys has heads');
    await flipLastBit(segment, section);
    expect(await faultsOf(segment)).toEqual([expect.stringContaining(fault)]);
  });

  it('finds a missing page', async () => {
    const segment = await stored();
    await lab.importer.query('delete from open_segment_pages where segment_id = $1 and page = 0', [
      segment.segmentId,
    ]);
    const [fault] = await faultsOf(segment);
    expect(fault).toContain(`Page 0 of segment ${segment.segmentId} must exist`);
  });

  it('finds a damaged directory', async () => {
    const { segmentId } = await stored();
    await lab.importer.query(
      `update segments set directory = set_byte(directory, 3, get_byte(directory, 3) # 64)
       where segment_id = $1`,
      [segmentId],
    );
    const segment = (await lab.manifest()).segments.get(segmentId);
    if (!segment) throw new Error('the segment lives');
    expect(await faultsOf(segment)).toEqual(['the digest of the directory does not fit its bytes']);
  });

  it.each([
    ['first_bucket = first_bucket - 60', 'the first bucket is'],
    ['last_bucket = last_bucket + 60', 'the last bucket is'],
    ['key_count = key_count - 1', 'the number of keys is'],
    ['row_count = row_count + 1', 'the number of rows is'],
    ['page_count = page_count + 1', 'the number of pages is'],
    ['size_bytes = size_bytes + 1', 'the size is'],
  ])('finds a manifest row that contradicts the segment: %s', async (change, fault) => {
    const { segmentId } = await stored();
    await lab.importer.query(`update segments set ${change} where segment_id = ${segmentId}`);
    const segment = (await lab.manifest()).segments.get(segmentId);
    if (!segment) throw new Error('the segment lives');
    const faults = await faultsOf(segment);
    expect(faults).toHaveLength(1);
    expect(faults[0]).toContain(fault);
  });
});
