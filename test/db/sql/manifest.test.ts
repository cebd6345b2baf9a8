import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  type ManifestQuestion,
  type SegmentRow,
  selectManifest,
} from '../../../db/sql/manifest.ts';
import { insertSegments } from '../../../db/sql/publish.ts';
import { openQueryDatabase, type QueryDatabase } from '../../support/database/query-database.ts';
import { group, T0 } from '../../support/lab/lab.ts';

let db: QueryDatabase;
let lab: number;
let other: number;
let empty: number;
let groupId: number;

const BIG_NUMBER = 2 ** 40;

/** All fields differ, so that none can be taken for another. */
const segment = (segmentId: number, addedAt: number): SegmentRow => ({
  segmentId,
  groupId,
  probeId: 7,
  sliceId: 11,
  level: 3,
  firstBucket: T0,
  lastBucket: T0 + 60,
  keyCount: 5,
  rowCount: BIG_NUMBER,
  pageCount: 2,
  sizeBytes: 99,
  importedAt: T0 + 300,
  directory: Buffer.from([0, 255, segmentId]),
  addedAt,
  sources: segmentId === 2 ? [1, BIG_NUMBER] : null,
});

async function insert(contextId: number, { addedAt, sources, ...row }: SegmentRow): Promise<void> {
  const rows = [sources === null ? row : { ...row, sources }];
  await insertSegments(db.connection, { contextId, addedAt }, rows);
}

const die = (segmentId: number, died: number) =>
  db.sql('update segments set died = $2, died_at = now() where segment_id = $1', [segmentId, died]);

beforeAll(async () => {
  db = await openQueryDatabase();
  const groups = [group(1, { name: 'Gruppe ä' })];
  for (const context of ['lab', 'other', 'empty']) await db.apply({ context, groups });
  lab = await db.contextId('lab');
  other = await db.contextId('other');
  empty = await db.contextId('empty');
  groupId = await db.groupId('lab', 'Gruppe ä');
  await insert(lab, segment(1, 2));
  await insert(lab, segment(2, 5));
  await insert(lab, segment(3, 2));
  await insert(lab, segment(4, 5));
  await insert(lab, segment(5, 5));
  await insert(other, segment(6, 5));
  await die(3, 6);
  await die(4, 6);
  await db.sql(
    'update context_versions set version = 9, layout = 6, swept_to = 3 where context_id = $1',
    [lab],
  );
});

afterAll(() => db.close());

const ask = (question: Partial<ManifestQuestion>) =>
  db.read((session) => selectManifest(session, { contextId: lab, since: 0, ...question }));

const NUMBERS = { version: 9, layout: 6 };

/** The order of segments is not promised. */
const sorted = (rows: readonly SegmentRow[] = []): SegmentRow[] =>
  rows.toSorted((a, b) => a.segmentId - b.segmentId);

describe('the manifest of a context', () => {
  it('has all live segments, with all that is known of them', async () => {
    const manifest = await ask({});
    expect(manifest).toMatchObject({ ...NUMBERS, isWhole: true, removed: [] });
    const added = sorted(manifest?.added);
    expect(added.map(({ segmentId }) => segmentId)).toEqual([1, 2, 5]);
    expect(added).toEqual([segment(1, 2), segment(2, 5), segment(5, 5)]);
  });

  it('has only what was added and removed since a layout', async () => {
    const manifest = await ask({ since: 4 });
    expect(manifest).toMatchObject({ ...NUMBERS, isWhole: false });
    expect(sorted(manifest?.added)).toEqual([segment(2, 5), segment(5, 5)]);
    // Segment 4 was added after that layout too, so the caller has never seen it.
    expect(manifest?.removed).toEqual([3]);
  });

  it('names segments that were removed after the layout, but not at it', async () => {
    expect(await ask({ since: 5 })).toMatchObject({
      isWhole: false,
      added: [],
      removed: expect.toSatisfy((ids: number[]) => ids.toSorted().join() === '3,4'),
    });
    expect(await ask({ since: 6 })).toEqual({ ...NUMBERS, isWhole: false, added: [], removed: [] });
  });

  it.each([
    ['segments that were removed since the layout were swept', 2],
    ['the layout lies in the future', 7],
  ])('is whole if %s', async (_, since) => {
    const manifest = await ask({ since });
    expect(manifest).toMatchObject({ ...NUMBERS, isWhole: true, removed: [] });
    expect(sorted(manifest?.added).map(({ segmentId }) => segmentId)).toEqual([1, 2, 5]);
  });

  it('has only what changed since a layout up to which everything was swept', async () => {
    expect(await ask({ since: 3 })).toMatchObject({ isWhole: false });
  });

  it('has no segments if there are none, and is null for an unknown context', async () => {
    expect(await ask({ contextId: empty })).toMatchObject({
      isWhole: true,
      added: [],
      removed: [],
    });
    expect(await ask({ contextId: 2_000_000_000 })).toBeNull();
  });
});
