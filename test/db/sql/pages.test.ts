import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { pagePartitionOf, type SegmentToPlace } from '../../../db/page-tables.ts';
import { copiesOf } from '../../../db/session/copy-source.ts';
import { ensurePagePartition } from '../../../db/sql/page-partitions.ts';
import { type PagesRead, selectPages } from '../../../db/sql/pages.ts';
import { GENERATION_SECONDS, generationOf } from '../../../domain/slices/page-generation.ts';
import { SEALED_LEVEL, SETTLED_LEVEL } from '../../../domain/slices/segment-level.ts';
import { openQueryDatabase, type QueryDatabase } from '../../support/database/query-database.ts';
import { T0 } from '../../support/lab/lab.ts';

let db: QueryDatabase;

type Segment = SegmentToPlace & { readonly segmentId: number };

const IMPORTED: Segment = { segmentId: 1, sliceId: 1, level: 0, importedAt: T0 };
const LATER: Segment = { ...IMPORTED, segmentId: 2, importedAt: T0 + GENERATION_SECONDS };
const SETTLED: Segment = { ...IMPORTED, segmentId: 3, level: SETTLED_LEVEL };
const SEALED: Segment = { ...IMPORTED, segmentId: 4, level: SEALED_LEVEL };
const ELSEWHERE: Segment = { ...IMPORTED, segmentId: 5, sliceId: 2 };

const LAST_PAGE = 3;

const textOf = (segmentId: number, page: number): string => `page ${page} of ${segmentId}`;

/** Stores the pages of a segment, from 0 to LAST_PAGE. */
async function store(segment: Segment): Promise<void> {
  const partition = pagePartitionOf(segment);
  await ensurePagePartition(db.connection, partition);
  const isOpen = partition.table === 'open_segment_pages';
  for (let page = 0; page <= LAST_PAGE; page += 1) {
    const bytes = Buffer.from(textOf(segment.segmentId, page));
    const values = [segment.sliceId, segment.segmentId, page, bytes];
    await db.sql(
      `insert into ${partition.table} (slice_id, segment_id, page, bytes${isOpen ? ', generation' : ''})
       values ($1, $2, $3, $4${isOpen ? ', $5' : ''})`,
      isOpen ? [...values, generationOf(segment)] : values,
    );
  }
}

beforeAll(async () => {
  db = await openQueryDatabase();
  for (const each of [IMPORTED, LATER, SETTLED, SEALED, ELSEWHERE]) await store(each);
});

afterAll(() => db.close());

const pagesOf = (segment: Segment, first: number, last: number): PagesRead => ({
  ...segment,
  first,
  last,
});

/** Reads pages and returns their contents, as no order is promised. */
async function read(...reads: readonly PagesRead[]): Promise<string[]> {
  const rows = await selectPages(copiesOf(db.connection), reads);
  for (const { segmentId, page, bytes } of rows) {
    expect(Buffer.from(bytes).toString()).toBe(textOf(segmentId, page));
  }
  return rows.map(({ segmentId, page }) => textOf(segmentId, page)).toSorted();
}

describe('the pages of segments', () => {
  it('are read from the first to the last one asked for', async () => {
    expect(await read(pagesOf(IMPORTED, 1, 2))).toEqual(['page 1 of 1', 'page 2 of 1']);
    expect(await read(pagesOf(IMPORTED, LAST_PAGE, 9))).toEqual(['page 3 of 1']);
    expect(await read(pagesOf(IMPORTED, LAST_PAGE + 1, 9))).toEqual([]);
  });

  it('are read together, wherever they are, each range by itself', async () => {
    const all = await read(
      pagesOf(IMPORTED, 0, 0),
      pagesOf(LATER, 1, 1),
      pagesOf(SETTLED, 2, 2),
      pagesOf(SEALED, 3, 3),
      pagesOf(ELSEWHERE, 1, 1),
      pagesOf(IMPORTED, 2, 2),
    );
    expect(all).toEqual([
      'page 0 of 1',
      'page 1 of 2',
      'page 1 of 5',
      'page 2 of 1',
      'page 2 of 3',
      'page 3 of 4',
    ]);
  });

  it.each([
    ['another slice', { ...IMPORTED, sliceId: 2 }],
    ['another generation', { ...IMPORTED, importedAt: T0 + GENERATION_SECONDS }],
    ['the settled segments', { ...IMPORTED, level: SETTLED_LEVEL }],
    ['the sealed segments', { ...IMPORTED, level: SEALED_LEVEL }],
  ])('are not found in %s', async (_, segment) => {
    expect(await read(pagesOf(segment, 0, LAST_PAGE))).toEqual([]);
  });

  it('are the same in the session of a request', async () => {
    const rows = await db.read((session) => selectPages(session, [pagesOf(SEALED, 1, 1)]));
    expect(rows).toEqual([{ segmentId: 4, page: 1, bytes: Buffer.from(textOf(4, 1)) }]);
  });
});
