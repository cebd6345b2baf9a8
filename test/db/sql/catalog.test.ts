import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { inTransaction, readOn } from '../../../db/connection/connection.ts';
import {
  selectCatalogs,
  selectContextExists,
  selectPools,
  selectTotalWindows,
} from '../../../db/sql/catalog.ts';
import { selectServerFacts } from '../../../db/sql/server-state.ts';
import { insertSlice } from '../../../db/sql/slices.ts';
import { openQueryDatabase, type QueryDatabase } from '../../support/database/query-database.ts';
import { DAY, group, guidOf, meter, T0 } from '../../support/lab/lab.ts';

let db: QueryDatabase;
let lab: number;
let other: number;
let empty: number;

const NOWHERE = 2_000_000_000;

beforeAll(async () => {
  db = await openQueryDatabase();
  await db.apply({ context: 'empty', groups: [] });
  await db.apply({
    context: 'lab',
    slice_seconds: 86_400,
    groups: [
      group(1, { name: 'b', meters: [meter(4, 3, 'second'), meter(2, 0, 'first')] }),
      group(2, { name: 'a', enabled: false, key_kind: 'ipv4', sampling_rate: 8 }),
      group(3, {
        name: 'c',
        key_kind: 'crosskey',
        bucket_size: 300,
        crosskey: { parentguid: guidOf(1), crosskeyguid_1: guidOf(2) },
      }),
    ],
    probes: [{ id: 'west' }, { id: 'east' }],
    pools: [
      { name: 'vault', path: '/vault', total_size: 10, avail_size: 5, file_system: 'zfs' },
      { name: 'attic', status: 'offline', offline_archive: true, additional_info: 'upstairs' },
    ],
  });
  await db.apply({ context: 'other', groups: [group(1)], pools: [{ name: 'middle' }] });
  lab = await db.contextId('lab');
  other = await db.contextId('other');
  empty = await db.contextId('empty');
  await insertSlices();
  await cover(102, 'b', T0 + 60, T0 + 660);
  await cover(102, 'c', T0 + 300, T0 + 600);
  await cover(102, 'a', T0, T0 + 3600);
  await cover(101, 'b', T0 - DAY, T0 - DAY);
  await cover(104, 'b', T0 + 2 * DAY, T0 + 2 * DAY);
  await db.sql(
    'insert into coverage select 105, group_id, 0, $2, $2 from counter_groups where context_id = $1',
    [other, T0 + 120],
  );
});

afterAll(() => db.close());

/** 101 to 103 are available, and inserted in another order; 104 is archived; 105 is elsewhere. */
async function insertSlices(): Promise<void> {
  const slice = (sliceId: number, contextId: number, engine: number, startsAt: number) =>
    insertSlice(db.connection, { sliceId, contextId, engine, startsAt, endsAt: startsAt + DAY });
  await slice(103, lab, 1, T0);
  await slice(102, lab, 0, T0);
  await slice(101, lab, 0, T0 - DAY);
  await slice(104, lab, 0, T0 + 2 * DAY);
  await slice(105, other, 0, T0);
  await db.sql('update slices set archived = true where slice_id = 104');
}

const cover = async (sliceId: number, name: string, first: number, last: number) =>
  db.sql('insert into coverage values ($1, $2, 0, $3, $4)', [
    sliceId,
    await db.groupId('lab', name),
    first,
    last,
  ]);

const groupIds = async () => ({
  a: await db.groupId('lab', 'a'),
  b: await db.groupId('lab', 'b'),
  c: await db.groupId('lab', 'c'),
});

describe('whether a context exists', () => {
  it('depends on its exact name, which may be any text', async () => {
    const exists = (name: string) => db.read((session) => selectContextExists(session, name));
    expect(await exists('lab')).toBe(true);
    expect(await exists('Lab')).toBe(false);
    expect(await exists('lab\0')).toBe(false);
  });
});

describe('the windows of contexts', () => {
  const ask = async (ids: readonly number[]) => {
    const rows = await db.read((session) => selectTotalWindows(session, ids));
    return rows.toSorted((a, b) => a.contextId - b.contextId);
  };

  it('reach from the oldest bucket to the end of the newest, whatever their sizes', async () => {
    expect(await ask([lab])).toEqual([
      { contextId: lab, name: 'lab', from: T0 - DAY, to: T0 + 900 },
    ]);
  });

  it('are left out for contexts without data', async () => {
    expect(await ask([lab, other, empty, NOWHERE])).toEqual([
      { contextId: lab, name: 'lab', from: T0 - DAY, to: T0 + 900 },
      { contextId: other, name: 'other', from: T0 + 120, to: T0 + 180 },
    ]);
    expect(await ask([empty])).toEqual([]);
  });
});

describe('the catalogs of contexts', () => {
  const ask = (ids: readonly number[]) => db.read((session) => selectCatalogs(session, ids, null));

  it('have the groups by name, including disabled ones', async () => {
    const [catalog] = await ask([lab]);
    const row = {
      contextId: lab,
      bucketSize: 60,
      topperBucketSize: 300,
      samplingRate: 1,
      enabled: true,
      keysOf: null,
      parentGuid: null,
      crosskeyGuid1: null,
      crosskeyGuid2: null,
    };
    const uuidOf = (n: number) => guidOf(n).slice(1, -1).toLowerCase();
    const { a, b, c } = await groupIds();
    expect(catalog).toMatchObject({ contextId: lab, sliceSeconds: 86_400 });
    expect(catalog?.groups).toEqual([
      {
        ...row,
        groupId: a,
        guid: uuidOf(2),
        name: 'a',
        keyKind: 'ipv4',
        samplingRate: 8,
        enabled: false,
      },
      { ...row, groupId: b, guid: uuidOf(1), name: 'b', keyKind: 'text' },
      {
        ...row,
        groupId: c,
        guid: uuidOf(3),
        name: 'c',
        keyKind: 'crosskey',
        bucketSize: 300,
        parentGuid: uuidOf(1),
        crosskeyGuid1: uuidOf(2),
      },
    ]);
  });

  it('have the meters by group and index, with their places in segments', async () => {
    const [catalog] = await ask([lab]);
    const b = await db.groupId('lab', 'b');
    const meters = catalog?.meters.filter(({ groupId }) => groupId === b);
    expect(meters).toEqual([
      {
        groupId: b,
        meterId: 2,
        meterIndex: expect.any(Number),
        type: 0,
        topcount: 100,
        name: 'first',
        description: 'Meter 2, type 0',
        units: 'bytes',
      },
      {
        groupId: b,
        meterId: 4,
        meterIndex: expect.any(Number),
        type: 3,
        topcount: 100,
        name: 'second',
        description: 'Meter 4, type 3',
        units: 'bytes',
      },
    ]);
    expect(meters?.map(({ meterIndex }) => meterIndex).toSorted()).toEqual([0, 1]);
    expect(catalog?.meters.map(({ groupId }) => groupId)).toEqual(
      catalog?.meters.map(({ groupId }) => groupId).toSorted((x, y) => x - y),
    );
    expect(catalog?.meters).toHaveLength(4);
  });

  it('have the probes by name, and the available slices by start and engine', async () => {
    const [catalog] = await ask([lab]);
    expect(catalog?.probes).toEqual([
      { probeId: expect.any(Number), name: 'east' },
      { probeId: expect.any(Number), name: 'west' },
    ]);
    expect(catalog?.slices).toEqual([
      { sliceId: 101, startsAt: T0 - DAY, endsAt: T0 },
      { sliceId: 102, startsAt: T0, endsAt: T0 + DAY },
      { sliceId: 103, startsAt: T0, endsAt: T0 + DAY },
    ]);
  });

  it('have the coverage of the available slices', async () => {
    const [catalog] = await ask([lab]);
    const { a, b, c } = await groupIds();
    const of = (sliceId: number, groupId: number, firstBucket: number, lastBucket: number) => ({
      groupId,
      sliceId,
      probeId: 0,
      firstBucket,
      lastBucket,
      earlierBuckets: null,
    });
    expect(
      catalog?.coverage.toSorted((x, y) => x.sliceId - y.sliceId || x.firstBucket - y.firstBucket),
    ).toEqual([
      of(101, b, T0 - DAY, T0 - DAY),
      of(102, a, T0, T0 + 3600),
      of(102, b, T0 + 60, T0 + 660),
      of(102, c, T0 + 300, T0 + 600),
    ]);
  });

  it('have the buckets that were ahead of the clock, and the newest of the others', async () => {
    const earlierOf = async (present: number | null) => {
      await db.sql('update coverage set ahead_buckets = $1, present_bucket = $2', [
        [T0 + 600, T0 + 900],
        present,
      ]);
      const [catalog] = await ask([lab]);
      return catalog?.coverage[0]?.earlierBuckets;
    };
    expect(await earlierOf(T0)).toEqual([T0 + 600, T0 + 900, T0]);
    expect(await earlierOf(null)).toEqual([T0 + 600, T0 + 900]);
    await db.sql('update coverage set ahead_buckets = null, present_bucket = null');
  });

  it('have empty lists if there is nothing, and are left out for an unknown context', async () => {
    const lists = { groups: [], meters: [], probes: [], slices: [], coverage: [] };
    expect(await ask([empty, NOWHERE])).toEqual([
      { contextId: empty, sliceSeconds: 86_400, ...lists },
    ]);
    expect((await ask([lab, other])).map(({ contextId }) => contextId).toSorted()).toEqual(
      [lab, other].toSorted(),
    );
  });
});

describe('the pools of contexts', () => {
  const ask = (ids: readonly number[]) => db.read((session) => selectPools(session, ids));

  it('come by name, with sizes of any size', async () => {
    const huge = '9223372036854775807';
    await db.sql(`update pools set total_size = $1 where name = 'vault'`, [huge]);
    const unknown = {
      contextId: lab,
      contextName: 'lab',
      totalSize: null,
      availSize: null,
      fileSystem: null,
      path: null,
      offlineArchive: false,
      offlineArchiveMounted: false,
      additionalInfo: null,
    };
    expect(await ask([lab])).toEqual([
      {
        ...unknown,
        name: 'attic',
        status: 'offline',
        offlineArchive: true,
        additionalInfo: 'upstairs',
      },
      {
        ...unknown,
        name: 'vault',
        status: 'online',
        totalSize: huge,
        availSize: '5',
        fileSystem: 'zfs',
        path: '/vault',
      },
    ]);
    expect((await ask([lab, other, empty])).map(({ name }) => name)).toEqual([
      'attic',
      'middle',
      'vault',
    ]);
  });
});

describe('the facts of the server', () => {
  it('name the data folder to a user who may see it on the same machine', async () => {
    const [server] = await db.sql<{ folder: string | null }>(
      `select case when coalesce(host(inet_server_addr()), '127.0.0.1') in ('127.0.0.1', '::1')
         then current_setting('data_directory') end as folder`,
    );
    expect(await db.read(selectServerFacts)).toEqual({
      isStandby: false,
      localDataFolder: server?.folder,
    });
    const facts = await inTransaction(db.connection, async () => {
      // A role that every server has, and that may not see all settings.
      await db.sql('set local role pg_signal_backend');
      return selectServerFacts({ read: readOn(db.connection) });
    });
    expect(facts).toEqual({ isStandby: false, localDataFolder: null });
  });

  it('say whether it is a standby', async () => {
    await db.withFunction('pg_is_in_recovery() returns boolean', 'true', async (standby) => {
      expect(await selectServerFacts({ read: readOn(standby) })).toMatchObject({ isStandby: true });
    });
  });
});
