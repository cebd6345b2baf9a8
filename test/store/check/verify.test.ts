import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { PAGE_BYTES } from '../../../segments/pages/page.ts';
import { verifyContext } from '../../../store/check/verify-context.ts';
import { runOn } from '../../export/export-support.ts';
import { DAY, group, guidOf, meter, startLab, T0 } from '../../support/lab/lab.ts';
import { CONTEXT, type Line, type TestService } from '../../support/lab/service.ts';
import {
  everySection,
  flipLastBit,
  kindsOfSections,
  pageOf,
  rebuild,
  segmentsOf,
  verify,
} from './verify-support.ts';

const line = (
  n: number,
  key: string,
  ts: number,
  values: Line['values'],
  probe?: string,
): Line => ({
  group: guidOf(n),
  key,
  ts,
  values,
  count: 2,
  ...(probe !== undefined && { probe }),
});

let lab: TestService;

beforeAll(async () => {
  lab = await startLab({
    groups: [
      group(1, { meters: [meter(0, 2), meter(7, 5), meter(9, 11)] }),
      group(2, { bucket_size: 3600, topper_bucket_size: 7200, key_kind: 'country' }),
    ],
    lines: [
      ...Array.from({ length: 40 }, (_, i) =>
        line(1, `k${i % 7}`, T0 + i * 450, { 0: i + 1, 7: i - 20, 9: 2 ** 40 + i }),
      ),
      line(1, 'k1', T0 + 60, { 0: 3 }, 'p1'),
      line(1, 'k1', T0 + DAY + 7200, { 0: 5, 7: 2n ** 62n }),
      line(1, 'zero', T0 + 60, { 0: 0 }),
      line(2, 'DE', T0, { 0: 5 }),
      line(2, 'FR', T0 + 2 * DAY, { 0: 5 }),
    ],
  });
});

afterAll(() => lab.close());

const G1 = `Group 1 ${guidOf(1)}`;
const G2 = `Group 2 ${guidOf(2)}`;
const SLICE = 'slice-20240715-0000';

/** Returns the largest segment: that of the first day, with all keys. */
async function largest() {
  const [first, ...others] = await segmentsOf(lab);
  if (!first) throw new Error('there are segments');
  return others.reduce((a, b) => (b.rowCount > a.rowCount ? b : a), first);
}

const texts = async (): Promise<string[]> => {
  const { differences, differenceCount } = await verify(lab);
  expect(differenceCount).toBe(differences.length);
  return differences.map(({ text }) => text);
};

/** Returns what verify finds, and checks that rebuilding repairs it. */
async function findAndRepair(): Promise<string[]> {
  const found = await texts();
  expect(found).not.toEqual([]);
  await rebuild(lab);
  expect(await texts()).toEqual([]);
  return found;
}

describe('verify finds nothing', () => {
  it('if nothing is wrong, and reports how much was checked', async () => {
    const report = await verify(lab);
    const segments = await segmentsOf(lab);
    expect(report).toMatchObject({ context: CONTEXT, slices: 3, segments: 5, samples: 45 });
    expect(report).toMatchObject({ differences: [], differenceCount: 0 });
    expect(report.bytes).toBe(segments.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0));
  });

  it('for an unknown context, which is an error', async () => {
    const target = { databaseUrl: lab.databaseUrl, context: 'x' };
    await expect(verifyContext(target)).rejects.toThrow(
      'There is no context x (the contexts are lab)',
    );
  });

  it('and reports its progress, up to the end', async () => {
    const shares: number[] = [];
    await verifyContext({
      databaseUrl: lab.databaseUrl,
      context: CONTEXT,
      onProgress: ({ bytes, of }) => shares.push(bytes / of),
    });
    expect(shares.length).toBeGreaterThanOrEqual(5);
    expect(shares).toEqual(shares.toSorted((a, b) => a - b));
    expect(shares.at(-1)).toBeGreaterThan(0.5);
    expect(shares.at(-1)).toBeLessThanOrEqual(1);
  });
});

/** Every kind of section that the ranges of the largest segment have; each has a test. */
const KINDS = [
  'keys',
  'sums of the span',
  'keys of tiles',
  'times of tiles',
  'totals of tiles',
  'values of tiles',
];

describe('verify finds a flipped bit', () => {
  it('in every kind of section', async () => {
    const kinds = kindsOfSections((await largest()).directory());
    expect([...kinds.keys()].toSorted()).toEqual(KINDS.toSorted());
  });

  it.each(KINDS)('in %s, and names its position', async (kind) => {
    const segment = await largest();
    const section = kindsOfSections(segment.directory()).get(kind);
    const middle = Math.floor(((section?.from ?? 0) + (section?.to ?? 0)) / 2);
    // After the digest.
    const at = 4 + (middle % PAGE_BYTES);
    const flip = `update open_segment_pages
      set bytes = set_byte(bytes, ${at}, get_byte(bytes, ${at}) # 16)
      where segment_id = ${segment.segmentId} and page = ${pageOf(middle)} returning 1`;
    expect(await lab.sql(flip)).toHaveLength(1);
    const [text, ...others] = await texts();
    expect(others).toEqual([]);
    expect(text).toContain(`${G1}, ${SLICE}, segment ${segment.segmentId}: the digest of page `);
    expect(text).toContain(kind);
    expect(await lab.sql(flip)).toHaveLength(1);
    expect(await texts()).toEqual([]);
  });

  it('in the directory', async () => {
    const { segmentId } = await largest();
    const flip = `update segments set directory = set_byte(directory, 20, get_byte(directory, 20) # 1)
      where segment_id = ${segmentId}`;
    await lab.sql(flip);
    expect(await texts()).toEqual([
      `${G1}, ${SLICE}, segment ${segmentId}: the digest of the directory does not fit its bytes`,
    ]);
    const { damaged } = await rebuild(lab);
    expect(damaged).toMatchObject([{ group: 'Group 1', slice: SLICE, segment: segmentId }]);
    await lab.sql(flip);
    expect(await texts()).toEqual([]);
  });
});

describe('verify finds a wrong number with a matching digest, and rebuild repairs it', () => {
  it.each([
    ['sums of the span', 'the sums of the span are not what its tiles add up to'],
    ['totals of tiles', 'the sums of the span are not what its tiles add up to'],
    ['values of tiles', 'the totals are not the sums of all keys'],
  ])('in %s', async (kind, problem) => {
    const segment = await largest();
    const section = kindsOfSections(segment.directory()).get(kind);
    if (!section) throw new Error(`the segment has ${kind}`);
    await flipLastBit(lab, segment, section);
    const found = await findAndRepair();
    expect(found).toContainEqual(expect.stringContaining(problem));
    for (const text of found) {
      expect(text).toContain(`${G1}, ${SLICE}, segment ${segment.segmentId}: `);
    }
  });
});

describe('verify finds a wrong number with a matching digest', () => {
  it('in every section of its ranges', async () => {
    const segment = await largest();
    const sections = everySection(segment.directory());
    expect(sections.size).toBeGreaterThan(20);
    const missed: string[] = [];
    for (const [name, section] of sections) {
      await flipLastBit(lab, segment, section);
      if ((await texts()).length === 0) missed.push(name);
      await flipLastBit(lab, segment, section);
    }
    expect(missed).toEqual([]);
    expect(await texts()).toEqual([]);
  });
});

const ofGroup = (n: number) =>
  `group_id = (select group_id from counter_groups where name = 'Group ${n}')`;
const ofSlice = (start = T0) =>
  `slice_id = (select slice_id from slices where starts_at = ${start})`;

describe('verify finds and names, and rebuild repairs,', () => {
  beforeEach(async () => {
    expect(await texts()).toEqual([]);
  });

  it.each([
    [
      'a row of the manifest with another number of keys',
      `update segments set key_count = key_count - 1, row_count = row_count + 1
       where ${ofGroup(1)} and ${ofSlice()} and probe_id = 0 and died is null`,
      'the number of keys is 8, the manifest says 7',
    ],
    [
      'a row of the manifest with another span',
      `update segments set last_bucket = last_bucket - 60
       where ${ofGroup(1)} and ${ofSlice()} and probe_id = 0 and died is null`,
      'the last bucket is',
    ],
    [
      'a segment of a slice that is gone',
      `insert into segments select nextval('segment_ids'), context_id, group_id, probe_id, 4711,
         level, first_bucket, last_bucket, key_count, row_count, page_count, size_bytes, directory,
         imported_at, born from segments where ${ofGroup(2)} and ${ofSlice()} and died is null`,
      `${G2}, slice number 4711, segment`,
    ],
    [
      'pages beyond the end of their segment',
      `insert into open_segment_pages
       select slice_id, generation, segment_id, page + 10, bytes
       from open_segment_pages where segment_id = (select segment_id from segments
         where ${ofGroup(1)} and ${ofSlice()} and probe_id = 0 and died is null)`,
      'has 1 pages beyond its end',
    ],
    [
      'coverage that is wrong',
      `update coverage set last_bucket = last_bucket + 60 where ${ofSlice()} and ${ofGroup(2)}`,
      `${G2}, ${SLICE}: its coverage: 2024-07-15T00:00:00Z to 2024-07-15T00:01:00Z is stored, ` +
        'the segments say 2024-07-15T00:00:00Z to 2024-07-15T00:00:00Z',
    ],
    [
      'coverage that is missing',
      `delete from coverage where ${ofSlice()} and probe_id > 0`,
      `${G1}, ${SLICE}, probe p1: its coverage: nothing is stored, the segments say 2024-07-15T00:01`,
    ],
    [
      'coverage of nothing',
      `insert into coverage (slice_id, group_id, probe_id, first_bucket, last_bucket)
       select slice_id, group_id, 4711, first_bucket, last_bucket from coverage
       where ${ofSlice()} and ${ofGroup(2)}`,
      'probe number 4711: its coverage: 2024-07-15T00:00:00Z to 2024-07-15T00:00:00Z is stored, ' +
        'the segments say nothing',
    ],
  ])('%s', async (_, change, text) => {
    const { length } = await lab.sql(`${change} returning 1`);
    expect(length).toBeGreaterThan(0);
    expect(await findAndRepair()).toContainEqual(expect.stringContaining(text));
  });

  it('sealed pages without a segment', async () => {
    const { out } = await runOn(lab, 'compact', '--context', CONTEXT);
    expect(out.join('\n')).toContain('Context lab was compacted');
    await lab.sql(`insert into sealed_segment_pages
      select distinct on (page) slice_id, 999999, page, bytes from sealed_segment_pages
      where ${ofSlice()}`);
    expect(await findAndRepair()).toContainEqual(
      expect.stringMatching(/^slice-20240715-0000, segment 999999: has \d+ pages, but is not in/),
    );
  });
});

describe('damage that cannot be rebuilt', () => {
  it('is named by rebuild, which leaves it as it is and repairs the rest', async () => {
    const segment = await largest();
    const section = kindsOfSections(segment.directory()).get('keys');
    await lab.sql(
      `update sealed_segment_pages set bytes = set_byte(bytes, 5, get_byte(bytes, 5) # 1)
       where segment_id = $1 and page = $2`,
      [segment.segmentId, pageOf(section?.from ?? 0)],
    );
    const found = await runOn(lab, 'verify', '--context', CONTEXT);
    expect(found.status).toBe(1);
    expect(found.out.join('\n')).toContain(`segment ${segment.segmentId}: the digest of page 0`);
    expect(found.err.at(-1)).toContain('context lab has 1 difference: `npx countergraph rebuild');
    const rebuilt = await runOn(lab, 'rebuild', '--context', CONTEXT);
    expect(rebuilt.status).toBe(1);
    expect(rebuilt.out.join('\n')).toContain(`segment ${segment.segmentId}: the digest of page 0`);
    expect(rebuilt.err.at(-1)).toContain('1 segment of context lab could not be rebuilt');
    expect((await segmentsOf(lab)).map(({ segmentId }) => segmentId)).toContain(segment.segmentId);
  });
});
