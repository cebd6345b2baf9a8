import pg from 'pg';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { OPEN_PAGES_LOCK } from '../../db/advisory-locks.ts';
import { type Connection, inTransaction, openConnection } from '../../db/connection/connection.ts';
import { type PagePartition, pagePartitionName, pagePartitionOf } from '../../db/page-tables.ts';
import { ensurePagePartition, keepPagePartition } from '../../db/sql/page-partitions.ts';
import { copyPages } from '../../db/sql/pages.ts';
import { removeTakenPartitions } from '../../db/sql/remove-partitions.ts';
import { createTestDatabase, type TestDatabase } from '../support/database/database.ts';
import { isOnCluster } from '../support/database/on-cluster.ts';
import { rowsOf } from '../support/database/rows-of.ts';
import { conn, connLog, importText, NOW } from './import-support.ts';

const TABLE = 'open_segment_pages';

/** The partition of a slice that these tests' imports write to. */
const partitionOf = (sliceId: number): PagePartition =>
  pagePartitionOf({ sliceId, level: 0, importedAt: NOW });

const nameOf = (sliceId: number): string => pagePartitionName(partitionOf(sliceId));

/** Pages of an import of one flow: one for each of its eight groups. */
const PAGES = 8;

let database: TestDatabase;
let reader: pg.Client;
let writer: pg.Client;

beforeEach(async () => {
  database = await createTestDatabase();
  reader = new pg.Client({ connectionString: database.url });
  await reader.connect();
  writer = await openConnection(database.url, 'test');
});
afterEach(async () => {
  await Promise.all([reader.end(), writer.end()]);
  await database.drop();
});

const importAt = (ts: number) => importText(connLog(conn(ts)), { databaseUrl: database.url });

const partitions = async () => {
  const rows = await rowsOf<{ relname: string }>(
    database.url,
    `select relname from pg_class where relkind = 'r' and relname ~ '^${TABLE}_' order by oid`,
  );
  return rows.map(({ relname }) => relname);
};

const countPages = async () =>
  (await reader.query(`select count(*)::int as pages from ${TABLE}`)).rows[0].pages;

describe('the partition of a new slice', () => {
  it('is created while a reader of pages has its transaction open', async () => {
    await importAt(NOW);
    await reader.query('begin isolation level repeatable read');
    expect(await countPages()).toBe(PAGES);
    await importAt(NOW - 90_000);
    // Neither waited for the other, and the reader's snapshot is unchanged.
    expect(await countPages()).toBe(PAGES);
    await reader.query('commit');
    expect(await countPages()).toBe(2 * PAGES);
  });

  it('blocks no one while the import that fills it runs', async () => {
    await importAt(NOW);
    await ensurePagePartition(writer, partitionOf(1000));
    await writer.query('begin');
    expect(await keepPagePartition(writer, partitionOf(1000))).toBe(true);
    const page = { number: 0, bytes: new Uint8Array(8) };
    const scope = { segmentId: 1000, sliceId: 1000, level: 0, importedAt: NOW };
    await copyPages(writer, scope, [page]);
    await reader.query("set lock_timeout = '1s'");
    expect(await countPages()).toBe(PAGES);
    await importAt(NOW - 90_000);
    await writer.query('rollback');
  });

  it('is created again if it is removed before it is filled', async () => {
    // The remover holds the partition's lock, so the import waits.
    await ensurePagePartition(writer, partitionOf(1));
    const lock = [OPEN_PAGES_LOCK, nameOf(1)];
    await writer.query('select pg_advisory_lock($1, hashtext($2))', lock);
    const importing = importAt(NOW);
    await waitForLock();
    await writer.query(`drop table ${nameOf(1)}`);
    await writer.query('select pg_advisory_unlock($1, hashtext($2))', lock);
    await importing;
    expect(await countPages()).toBe(PAGES);
  });

  async function waitForLock(): Promise<void> {
    for (;;) {
      const { rowCount } = await reader.query(
        `select from pg_stat_activity where datname = current_database()
           and application_name like 'countergraph import%' and wait_event = 'advisory'`,
      );
      if (rowCount !== 0) return;
    }
  }
});

describe('partitions of slices that were never created', () => {
  it.skipIf(isOnCluster)(
    'are removed by the next import, in whatever state they were left',
    async () => {
      await importAt(NOW);
      for (const sliceId of [1000, 1001, 1002])
        await ensurePagePartition(writer, partitionOf(sliceId));
      await writer.query(`alter table ${TABLE} detach partition ${nameOf(1001)}`);
      await leaveHalfDetached(1002);
      expect(await partitions()).toEqual([1, 1000, 1001, 1002].map(nameOf));
      await importAt(NOW + 1);
      expect(await partitions()).toEqual([nameOf(1)]);
    },
  );

  /** Interrupts a detach while it waits for a reader. */
  async function leaveHalfDetached(sliceId: number): Promise<void> {
    await reader.query('begin');
    await countPages();
    await writer.query("set statement_timeout = '200ms'");
    await writer
      .query(`alter table ${TABLE} detach partition ${nameOf(sliceId)} concurrently`)
      .catch((error: Error) => expect(error.message).toContain('statement timeout'));
    await writer.query('set statement_timeout = 0');
    await reader.query('commit');
  }

  const filling = (work: (connection: Connection) => Promise<void>) =>
    inTransaction(writer, async () => {
      expect(await keepPagePartition(writer, partitionOf(1000))).toBe(true);
      await work(writer);
    });

  it('are left alone while an import fills them', async () => {
    await ensurePagePartition(writer, partitionOf(1000));
    await filling(async () => {
      await removeTakenPartitions(reader, { waitMs: 1000 });
      expect(await partitions()).toEqual([nameOf(1000)]);
    });
    await removeTakenPartitions(reader);
    expect(await partitions()).toEqual([]);
  });

  it('are left to a later import while a reader may still read them', async () => {
    await ensurePagePartition(writer, partitionOf(1000));
    await reader.query('begin isolation level repeatable read');
    await countPages();
    await removeTakenPartitions(writer, { waitMs: 100 });
    // The removal has given up waiting for the old reader, and does not block new ones.
    const [row] = await rowsOf(database.url, `select count(*)::int from ${TABLE}`);
    expect(row).toEqual({ count: 0 });
    await reader.query('commit');
    await removeTakenPartitions(writer);
    expect(await partitions()).toEqual([]);
  });

  it('keep nobody from importing if they cannot be removed', async () => {
    await ensurePagePartition(writer, partitionOf(1000));
    await rowsOf(database.url, `create view in_the_way as select from ${nameOf(1000)}`);
    await importAt(NOW);
    expect(await partitions()).toEqual([1000, 1].map(nameOf));
    await rowsOf(database.url, 'drop view in_the_way');
    await importAt(NOW + 1);
    expect(await partitions()).toEqual([nameOf(1)]);
  });

  it('are never those of archived slices, nor tables with similar names', async () => {
    await importAt(NOW);
    await rowsOf(database.url, 'update slices set archived = true');
    await rowsOf(database.url, `create table ${TABLE}_backup (a int)`);
    await removeTakenPartitions(writer);
    expect(await partitions()).toEqual([nameOf(1), `${TABLE}_backup`]);
  });
});
