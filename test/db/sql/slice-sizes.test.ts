import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type PagePartition, pagePartitionName, partitionSize } from '../../../db/page-tables.ts';
import { ensurePagePartition } from '../../../db/sql/page-partitions.ts';
import { insertSlice, selectSliceSizes } from '../../../db/sql/slices.ts';
import { isOnCluster } from '../../support/database/on-cluster.ts';
import { openQueryDatabase, type QueryDatabase } from '../../support/database/query-database.ts';
import { DAY, T0 } from '../../support/lab/lab.ts';

let db: QueryDatabase;

const SIZE_OF = partitionSize(isOnCluster);

const PARTITIONS: readonly PagePartition[] = [
  { table: 'open_segment_pages', sliceId: 11, generation: 0 },
  { table: 'open_segment_pages', sliceId: 11, generation: 239_000 },
  { table: 'sealed_segment_pages', sliceId: 11 },
  { table: 'open_segment_pages', sliceId: 12, generation: 0 },
  // Their names begin like those of slice 11, or of a slice without partitions.
  { table: 'open_segment_pages', sliceId: 111, generation: 0 },
  { table: 'sealed_segment_pages', sliceId: 111 },
];

beforeAll(async () => {
  db = await openQueryDatabase();
  await db.apply({ context: 'lab', groups: [] });
  const contextId = await db.contextId('lab');
  for (const sliceId of [1, 11, 12, 13, 14, 111]) {
    const startsAt = T0 + sliceId * DAY;
    const endsAt = startsAt + DAY;
    await insertSlice(db.connection, { sliceId, contextId, engine: 0, startsAt, endsAt });
  }
  for (const partition of PARTITIONS) await ensurePagePartition(db.connection, partition);
});

afterAll(() => db.close());

/** The bytes of a slice's partitions. */
async function bytesOf(wanted: number): Promise<string> {
  const names = PARTITIONS.filter(({ sliceId }) => sliceId === wanted).map(pagePartitionName);
  const [row] = await db.sql<{ bytes: string }>(
    `select sum(${SIZE_OF}(name::regclass))::text as bytes from unnest($1::text[]) as n(name)`,
    [names],
  );
  return row?.bytes ?? '';
}

const archived = (sliceId: number, bytes: string | null) =>
  db.sql('update slices set archived = true, archive_bytes = $2 where slice_id = $1', [
    sliceId,
    bytes,
  ]);

async function ask(...sliceIds: readonly number[]) {
  const rows = await db.read((session) => selectSliceSizes(session, sliceIds, SIZE_OF));
  return rows.toSorted((a, b) => a.sliceId - b.sliceId);
}

describe('the sizes of slices', () => {
  it('are those of all their pages, open and sealed, and of no other slice', async () => {
    expect(await ask(11, 12)).toEqual([
      { sliceId: 11, bytes: await bytesOf(11) },
      { sliceId: 12, bytes: await bytesOf(12) },
    ]);
    expect(Number(await bytesOf(11))).toBeGreaterThan(Number(await bytesOf(12)));
    expect(await ask(1)).toEqual([]);
  });

  it('are those of archives, and the sum while pages are still there', async () => {
    const huge = '9007199254740993';
    await archived(13, huge);
    await archived(14, null);
    await archived(111, '1000');
    const both = String(Number(await bytesOf(111)) + 1000);
    expect(await ask(13, 14, 111)).toEqual([
      { sliceId: 13, bytes: huge },
      { sliceId: 111, bytes: both },
    ]);
  });
});
