import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { SLICE_HELD_LOCK } from '../../../db/advisory-locks.ts';
import { inTransaction } from '../../../db/connection/connection.ts';
import {
  deleteLeftover,
  insertLeftover,
  selectArchivedStarts,
  selectKeptSince,
  selectLeftovers,
  selectRetentions,
} from '../../../db/sql/archived-slices.ts';
import { upsertCoverage } from '../../../db/sql/coverage.ts';
import { selectClock } from '../../../db/sql/server-state.ts';
import {
  deleteCoverage,
  deleteSlice,
  insertSlice,
  reserveSlice,
  selectAndHoldSlice,
  updateSliceTags,
} from '../../../db/sql/slices.ts';
import { withClient } from '../../support/database/database.ts';
import { openQueryDatabase, type QueryDatabase } from '../../support/database/query-database.ts';
import { DAY, group, T0 } from '../../support/lab/lab.ts';

let db: QueryDatabase;
let lab: number;
let other: number;
let groupId: number;

beforeAll(async () => {
  db = await openQueryDatabase();
  const pools = [{ name: 'vault', path: '/vault' }, { name: 'attic' }];
  await db.apply({ context: 'lab', groups: [group(1)], pools });
  await db.apply({ context: 'other', groups: [], pools });
  lab = await db.contextId('lab');
  other = await db.contextId('other');
  groupId = await db.groupId('lab', 'Group 1');
});

beforeEach(async () => {
  await db.sql('delete from slices');
  await db.sql('delete from engines');
  await db.sql('delete from archive_leftovers');
});

afterAll(() => db.close());

type Place = { readonly contextId?: number; readonly engine?: number };

const slice = (sliceId: number, startsAt: number, { contextId = lab, engine = 0 }: Place = {}) =>
  insertSlice(db.connection, { sliceId, contextId, engine, startsAt, endsAt: startsAt + DAY });

const archive = (sliceId: number) =>
  db.sql('update slices set archived = true where slice_id = $1', [sliceId]);

const sliceIds = async () =>
  (await db.sql<{ id: number }>('select slice_id as id from slices order by 1')).map(
    ({ id }) => id,
  );

describe('inserting a slice', () => {
  it('inserts its engine instance only once', async () => {
    await slice(101, T0, { engine: 3 });
    await slice(102, T0 + DAY, { engine: 3 });
    expect(await db.sql('select context_id, instance from engines')).toEqual([
      { context_id: lab, instance: 3 },
    ]);
    expect(
      await db.sql(
        `select slice_id, context_id, engine, starts_at::int, ends_at::int, archived, tags
         from slices order by slice_id`,
      ),
    ).toEqual([
      {
        slice_id: 101,
        context_id: lab,
        engine: 3,
        starts_at: T0,
        ends_at: T0 + DAY,
        archived: false,
        tags: [],
      },
      {
        slice_id: 102,
        context_id: lab,
        engine: 3,
        starts_at: T0 + DAY,
        ends_at: T0 + 2 * DAY,
        archived: false,
        tags: [],
      },
    ]);
  });

  it('fails if the engine instance has one at that time', async () => {
    await slice(101, T0);
    await expect(slice(102, T0)).rejects.toThrow('duplicate key');
    await slice(103, T0, { engine: 1 });
    await slice(104, T0, { contextId: other });
    expect(await sliceIds()).toEqual([101, 103, 104]);
  });
});

describe('deleting a slice', () => {
  const cover = (sliceId: number) =>
    db.sql('insert into coverage values ($1, $2, 0, $3, $3)', [sliceId, groupId, T0]);
  const covered = () => db.sql('select slice_id from coverage order by 1');

  it('deletes its coverage too', async () => {
    for (const [i, id] of [101, 102].entries()) {
      await slice(id, T0 + i * DAY);
      await cover(id);
    }
    await deleteSlice(db.connection, 101);
    expect(await sliceIds()).toEqual([102]);
    expect(await covered()).toEqual([{ slice_id: 102 }]);
  });

  it('can be limited to its coverage', async () => {
    for (const [i, id] of [101, 102].entries()) {
      await slice(id, T0 + i * DAY);
      await cover(id);
    }
    await deleteCoverage(db.connection, 101);
    expect(await sliceIds()).toEqual([101, 102]);
    expect(await covered()).toEqual([{ slice_id: 102 }]);
  });
});

describe('the slice of a place', () => {
  const held = (sliceId: number) =>
    withClient(db.url, async (client) => {
      const { rows } = await client.query<{ mode: string }>(
        `select mode from pg_locks where locktype = 'advisory' and classid = $1 and objid = $2
           and database = (select oid from pg_database where datname = current_database())`,
        [SLICE_HELD_LOCK, sliceId],
      );
      return rows.map(({ mode }) => mode);
    });

  it('is held until the end of the transaction', async () => {
    await slice(101, T0);
    await slice(102, T0 + DAY, { engine: 1 });
    await archive(102);
    await inTransaction(db.connection, async () => {
      const place = { contextId: lab, engine: 0, startsAt: T0 };
      const other = { contextId: lab, engine: 1, startsAt: T0 + DAY };
      const row = { sliceId: 101, archived: false };
      expect(await selectAndHoldSlice(db.connection, place)).toEqual(row);
      expect(await selectAndHoldSlice(db.connection, other)).toEqual({
        sliceId: 102,
        archived: true,
      });
      expect(await held(101)).toEqual(['ShareLock']);
      expect(await held(102)).toEqual(['ShareLock']);
    });
    expect(await held(101)).toEqual([]);
  });

  it('is null if the context, the engine or the start is another one', async () => {
    await slice(101, T0);
    const place = { contextId: lab, engine: 0, startsAt: T0 };
    const { connection } = db;
    expect(await selectAndHoldSlice(connection, { ...place, contextId: other })).toBeNull();
    expect(await selectAndHoldSlice(connection, { ...place, engine: 1 })).toBeNull();
    expect(await selectAndHoldSlice(connection, { ...place, startsAt: T0 + 1 })).toBeNull();
  });

  it('can be reserved, with an id that nobody else gets', async () => {
    const ids = await inTransaction(db.connection, async () => {
      const first = await reserveSlice(db.connection);
      const second = await reserveSlice(db.connection);
      expect(await held(first)).toEqual(['ShareLock']);
      expect(await held(second)).toEqual(['ShareLock']);
      return { first, second };
    });
    expect(ids.second).toBe(ids.first + 1);
    expect(await held(ids.first)).toEqual([]);
    expect(await sliceIds()).toEqual([]);
  });
});

describe('the starts of archived slices', () => {
  it('are those of one engine instance', async () => {
    await slice(101, T0);
    await slice(102, T0 + DAY);
    await slice(103, T0 + 2 * DAY, { engine: 1 });
    await slice(104, T0 + 3 * DAY, { contextId: other });
    await slice(105, T0 + 4 * DAY);
    for (const id of [102, 103, 104, 105]) await archive(id);
    expect(await selectArchivedStarts(db.connection, { contextId: lab, engine: 0 })).toEqual(
      new Set([T0 + DAY, T0 + 4 * DAY]),
    );
    expect(await selectArchivedStarts(db.connection, { contextId: lab, engine: 2 })).toEqual(
      new Set(),
    );
  });
});

describe('the tags of a slice', () => {
  const setTags = (tags: readonly string[], contextId = lab) =>
    updateSliceTags(db.connection, { contextId, sliceId: 101, tags });
  const stored = () => db.sql('select slice_id, tags from slices order by 1');

  it('are replaced, and stay in the given order', async () => {
    await slice(101, T0);
    await slice(102, T0 + DAY);
    expect(await setTags(['b', 'a'])).toMatchObject({ isChanged: true });
    expect(await stored()).toEqual([
      { slice_id: 101, tags: ['b', 'a'] },
      { slice_id: 102, tags: [] },
    ]);
    expect(await setTags(['b', 'a'])).toMatchObject({ isChanged: false });
    expect(await setTags(['a', 'b'])).toMatchObject({ isChanged: true });
    expect(await setTags([])).toMatchObject({ isChanged: true });
    expect(await setTags([])).toMatchObject({ isChanged: false });
  });

  it('stay as they are if the slice is not of that context', async () => {
    await slice(101, T0);
    expect(await setTags(['a'], other)).toBeNull();
    expect(await stored()).toEqual([{ slice_id: 101, tags: [] }]);
  });
});

describe('the contexts that keep slices for too long', () => {
  const cover = (sliceId: number, firstBucket: number, lastBucket = firstBucket) =>
    upsertCoverage(db.connection, [
      {
        sliceId,
        groupId,
        probeId: 0,
        firstBucket,
        lastBucket,
        presentBucket: firstBucket,
        aheadBuckets: [],
      },
    ]);
  const keep = (days: number, contextId = lab) =>
    db.sql('update contexts set retention_days = $2 where context_id = $1', [contextId, days]);

  it('have a slice that ended that long before the newest bucket', async () => {
    await keep(10);
    await slice(101, T0);
    await slice(102, T0 + 11 * DAY);
    await slice(103, T0, { contextId: other });
    await cover(101, T0);
    await cover(102, T0 + 11 * DAY - 60);
    const row = { contextId: lab, name: 'lab', retentionDays: 10, keptSince: T0 + DAY };
    expect(await selectRetentions(db.connection)).toEqual([]);
    await cover(102, T0 + 11 * DAY);
    expect(await selectRetentions(db.connection)).toEqual([row]);
    expect(await selectKeptSince(db.connection, lab)).toBe(T0 + DAY);
    expect(await selectKeptSince(db.connection, other)).toBeNull();
    await keep(5, other);
    expect(await selectRetentions(db.connection)).toEqual([row]);
    await db.withFunction('pg_is_in_recovery() returns boolean', 'true', async (standby) => {
      expect(await selectRetentions(standby)).toEqual([]);
    });
  });

  it.each([
    ['in a slice that has data of before, too', -3 * DAY, -3 * DAY],
    ['in a slice of its own', DAY / 2, -20 * DAY],
  ])('are not found by a bucket ahead of the clock: %s', async (_, first, newest) => {
    await keep(10);
    const now = await selectClock(db.connection);
    await slice(101, now - 20 * DAY);
    await slice(102, now + first);
    await cover(101, now - 20 * DAY);
    await cover(102, now + first, now + DAY);
    expect(await selectKeptSince(db.connection, lab)).toBe(now + newest - 10 * DAY);
  });

  it('count back from the clock if data are new, or a little ahead of it', async () => {
    await keep(10);
    const now = await selectClock(db.connection);
    await slice(101, now - DAY);
    await cover(101, now - DAY, now + 60);
    const keptSince = (await selectKeptSince(db.connection, lab)) ?? 0;
    expect(keptSince).toBeGreaterThanOrEqual(now - 10 * DAY);
    expect(keptSince).toBeLessThan(now + 60 - 10 * DAY);
  });
});

describe('files left in a pool', () => {
  it('come by pool and path, with the path of the pool', async () => {
    await insertLeftover(db.connection, lab, { pool: 'vault', path: 'b' });
    await insertLeftover(db.connection, lab, { pool: 'vault', path: 'a' });
    await insertLeftover(db.connection, lab, { pool: 'attic', path: 'c' });
    await insertLeftover(db.connection, other, { pool: 'vault', path: 'd' });
    expect(await selectLeftovers(db.connection, lab)).toEqual([
      { pool: 'attic', path: 'c', poolPath: null },
      { pool: 'vault', path: 'a', poolPath: '/vault' },
      { pool: 'vault', path: 'b', poolPath: '/vault' },
    ]);
    await deleteLeftover(db.connection, lab, { pool: 'vault', path: 'a' });
    expect((await selectLeftovers(db.connection, lab)).map(({ path }) => path)).toEqual(['c', 'b']);
    expect(await selectLeftovers(db.connection, other)).toHaveLength(1);
  });

  it('are not leftovers while a slice names them', async () => {
    await slice(101, T0);
    await insertLeftover(db.connection, lab, { pool: 'vault', path: 'a' });
    await insertLeftover(db.connection, lab, { pool: 'attic', path: 'a' });
    await db.sql(`update slices set archived = true, archive_pool = 'vault', archive_path = 'a'`);
    expect(await selectLeftovers(db.connection, lab)).toEqual([
      { pool: 'attic', path: 'a', poolPath: null },
    ]);
    await deleteSlice(db.connection, 101);
    expect(await selectLeftovers(db.connection, lab)).toHaveLength(2);
  });
});
