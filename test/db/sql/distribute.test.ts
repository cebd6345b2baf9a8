import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  CONTEXT_IMPORT_LOCK,
  CONTEXT_MERGE_LOCK,
  PARTITION_REMOVAL_LOCK,
} from '../../../db/advisory-locks.ts';
import {
  inTransaction,
  type OpenConnection,
  openConnection,
} from '../../../db/connection/connection.ts';
import type { PagePartition } from '../../../db/page-tables.ts';
import { insertContext } from '../../../db/sql/contexts.ts';
import {
  lockStore,
  selectClusterFacts,
  selectIsDetaching,
  selectPartitionSizes,
} from '../../../db/sql/distribute.ts';
import { ensurePagePartition } from '../../../db/sql/page-partitions.ts';
import { createTestDatabase, type TestDatabase } from '../../support/database/database.ts';
import { isOnCluster } from '../../support/database/on-cluster.ts';

let database: TestDatabase;
let connection: OpenConnection;
let other: OpenConnection;

beforeAll(async () => {
  database = await createTestDatabase();
  connection = await openConnection(database.url, 'test');
  other = await openConnection(database.url, 'test');
});

afterAll(async () => {
  await Promise.all([connection.end(), other.end()]);
  await database.drop();
});

const rowsOf = async <Row extends object>(text: string): Promise<Row[]> =>
  (await connection.query<Row>(text)).rows;

/** Returns the number of connections that wait for a lock in this database. */
async function waiting(from: OpenConnection): Promise<number> {
  const { rows } = await from.query<{ count: number }>(
    `select count(distinct pid)::int as count from pg_stat_activity join pg_locks using (pid)
     where datname = current_database() and not granted`,
  );
  return rows[0]?.count ?? 0;
}

const OPEN_PARTITION: PagePartition = {
  table: 'open_segment_pages',
  sliceId: 1,
  generation: 20,
};
const SEALED_PARTITION: PagePartition = { table: 'sealed_segment_pages', sliceId: 1 };

async function createPartitions(): Promise<void> {
  await ensurePagePartition(connection, SEALED_PARTITION);
  await ensurePagePartition(connection, OPEN_PARTITION);
}

describe('the facts about Citus', () => {
  it('say whether it is on the machine, in this database, and loaded', async () => {
    const [server] = await rowsOf(
      `select current_setting('shared_preload_libraries') like '%citus%' as "isLoaded",
         exists (select from pg_available_extension_versions where name = 'citus')
           as "isAvailable"`,
    );
    expect(await selectClusterFacts(connection)).toEqual({ isInstalled: isOnCluster, ...server });
  });
});

describe('locking the store', () => {
  let first: number;
  let second: number;

  beforeAll(async () => {
    const settings = { sliceSeconds: 3600, retentionDays: null };
    first = await insertContext(connection, { name: 'first', ...settings });
    second = await insertContext(connection, { name: 'second', ...settings });
  });

  const held = () =>
    rowsOf<{ lock: number; id: number }>(
      `select classid::int as lock, objid::int as id from pg_locks
       where locktype = 'advisory' and granted and mode = 'ExclusiveLock'
         and pid = pg_backend_pid()
         and classid::int in (${CONTEXT_IMPORT_LOCK}, ${CONTEXT_MERGE_LOCK},
           ${PARTITION_REMOVAL_LOCK})
       order by 1, 2`,
    );

  it('locks out imports and merges of all contexts and removals, until its end', async () => {
    const waitedFor: string[] = [];
    await inTransaction(connection, async () => {
      await lockStore(connection, (context) => waitedFor.push(context));
      expect(await held()).toEqual([
        { lock: CONTEXT_IMPORT_LOCK, id: first },
        { lock: CONTEXT_IMPORT_LOCK, id: second },
        { lock: PARTITION_REMOVAL_LOCK, id: 1 },
        { lock: PARTITION_REMOVAL_LOCK, id: 2 },
        { lock: CONTEXT_MERGE_LOCK, id: first },
        { lock: CONTEXT_MERGE_LOCK, id: second },
      ]);
    });
    expect(waitedFor).toEqual([]);
    expect(await held()).toEqual([]);
  });

  it.each([
    ['an import, whose context it names', CONTEXT_IMPORT_LOCK, () => second, ['second']],
    ['a merge', CONTEXT_MERGE_LOCK, () => second, []],
    ['the removal of a partition', PARTITION_REMOVAL_LOCK, () => 2, []],
  ])('waits for %s', async (_, lock, id, names) => {
    const waitedFor: string[] = [];
    await other.query('begin');
    await other.query('select pg_advisory_xact_lock($1, $2)', [lock, id()]);
    const locking = inTransaction(connection, async () => {
      await lockStore(connection, (context) => waitedFor.push(context));
      return held();
    });
    await expect.poll(() => waiting(other)).toBe(1);
    await other.query('commit');
    expect(await locking).toHaveLength(6);
    expect(waitedFor).toEqual(names);
  });
});

describe('the sizes of partitions of pages', () => {
  beforeAll(createPartitions);

  it('are those of both tables, with their indexes, in order of creation', async () => {
    await connection.query(
      "insert into open_segment_pages values (1, 20, 1, 0, decode(repeat('ab', 8000), 'hex'))",
    );
    const sizes = await rowsOf<{ open: number; sealed: number }>(
      `select pg_total_relation_size('open_segment_pages_1_20')::int as open,
         pg_total_relation_size('sealed_segment_pages_1')::int as sealed`,
    );
    expect(await selectPartitionSizes(connection, 'pg_total_relation_size')).toEqual([
      { name: 'sealed_segment_pages_1', bytes: sizes[0]?.sealed },
      { name: 'open_segment_pages_1_20', bytes: sizes[0]?.open },
    ]);
  });
});

describe.skipIf(isOnCluster)('the detach of a partition', () => {
  beforeAll(createPartitions);

  it.each([
    ['open_segment_pages', 'open_segment_pages_1_20'],
    ['sealed_segment_pages', 'sealed_segment_pages_1'],
  ])('counts as unfinished after it was interrupted: %s', async (table, name) => {
    const reader = await openConnection(database.url, 'test');
    await reader.query('begin');
    await reader.query(`select from ${table}`);
    expect(await selectIsDetaching(connection)).toBe(false);
    const { rows } = await other.query<{ pid: number }>('select pg_backend_pid() as pid');
    const detach = other.query(`alter table ${table} detach partition ${name} concurrently`);
    const interrupted = expect(detach).rejects.toThrow('canceling statement');
    await expect.poll(() => waiting(connection)).toBe(1);
    await connection.query('select pg_cancel_backend($1)', [rows[0]?.pid]);
    await interrupted;
    await reader.end();
    expect(await selectIsDetaching(connection)).toBe(true);
    await connection.query(`alter table ${table} detach partition ${name} finalize`);
    expect(await selectIsDetaching(connection)).toBe(false);
  });
});
