import pg from 'pg';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { SLICE_HELD_LOCK } from '../../db/advisory-locks.ts';
import { createPartition } from '../../db/write/create-partition.ts';
import { removeOrphanPartitions } from '../../db/write/remove-partitions.ts';
import { createTestDatabase, type TestDatabase, withClient } from '../support/database.ts';
import { conn, connLog, importText, NOW, query } from './import-support.ts';

let database: TestDatabase;
let reader: pg.Client;

beforeEach(async () => {
  database = await createTestDatabase();
  reader = new pg.Client({ connectionString: database.url });
  await reader.connect();
});
afterEach(async () => {
  await reader.end();
  await database.drop();
});

const importAt = (ts: number) => importText(connLog(conn(ts)), { databaseUrl: database.url });

const partitions = async () => {
  const rows = await query<{ relname: string }>(
    database.url,
    `select relname from pg_class where relkind = 'r' and relname ~ '^samples_' order by 1`,
  );
  return rows.map(({ relname }) => relname);
};

const countRows = async () =>
  (await reader.query('select count(*)::int as rows from samples')).rows[0].rows;

describe('the partition of a new slice', () => {
  it('is made while a reader of samples has its transaction open', async () => {
    await importAt(NOW);
    await reader.query('begin isolation level repeatable read');
    expect(await countRows()).toBe(12);
    await importAt(NOW - 90_000);
    // Neither waited for the other, and the reader's snapshot stays what it was.
    expect(await countRows()).toBe(12);
    await reader.query('commit');
    expect(await countRows()).toBe(24);
  });

  it('locks nobody out while the import that fills it goes on', async () => {
    await importAt(NOW);
    await withClient(database.url, async (filling) => {
      await filling.query('begin');
      await filling.query('select pg_advisory_xact_lock_shared($1, 1000)', [SLICE_HELD_LOCK]);
      await withClient(database.url, (second) => createPartition(second, 1000));
      await filling.query("insert into samples values (1, 0, 0, 0, 0, 1000, '{1}', null)");
      await reader.query("set lock_timeout = '1s'");
      expect(await countRows()).toBe(12);
      await importAt(NOW - 90_000);
      await filling.query('rollback');
    });
  });
});

describe('partitions of slices that never came to be', () => {
  it('are removed by the next import, in whatever state they were left', async () => {
    await importAt(NOW);
    await withClient(database.url, async (client) => {
      await createPartition(client, 1000);
      await createPartition(client, 1001);
      await client.query('alter table samples detach partition samples_1001');
      await createPartition(client, 1002);
    });
    await leaveHalfDetached('samples_1002');
    expect(await partitions()).toEqual([
      'samples_1',
      'samples_1000',
      'samples_1001',
      'samples_1002',
    ]);
    await importAt(NOW + 1);
    expect(await partitions()).toEqual(['samples_1']);
  });

  /** A detach that is interrupted while it waits for a reader. */
  async function leaveHalfDetached(partition: string): Promise<void> {
    await reader.query('begin');
    await countRows();
    await withClient(database.url, async (client) => {
      await client.query("set statement_timeout = '200ms'");
      await client
        .query(`alter table samples detach partition ${partition} concurrently`)
        .catch((error: Error) => expect(error.message).toContain('statement timeout'));
    });
    await reader.query('commit');
  }

  it('are left alone while somebody fills them', async () => {
    await withClient(database.url, async (filling) => {
      await filling.query('begin');
      await filling.query('select pg_advisory_xact_lock_shared($1, 1000)', [SLICE_HELD_LOCK]);
      await withClient(database.url, async (client) => {
        await createPartition(client, 1000);
        await removeOrphanPartitions(client);
        expect(await partitions()).toEqual(['samples_1000']);
        await filling.query('rollback');
        await removeOrphanPartitions(client);
        expect(await partitions()).toEqual([]);
      });
    });
  });

  it('are left to a later import while a reader might still look at them', async () => {
    await withClient(database.url, async (client) => {
      await createPartition(client, 1000);
      await reader.query('begin');
      await countRows();
      await removeOrphanPartitions(client, { waitMs: 100 });
      // New readers pass while the old one is waited for, and after the wait was given up.
      const [row] = await query(database.url, 'select count(*)::int from samples');
      expect(row).toEqual({ count: 0 });
      await reader.query('commit');
      await removeOrphanPartitions(client);
      expect(await partitions()).toEqual([]);
    });
  });

  it('are never those of archived slices, nor tables that only look alike', async () => {
    await importAt(NOW);
    await query(database.url, 'update slices set archived = true');
    await query(database.url, 'alter table samples detach partition samples_1');
    await query(database.url, 'create table samples_backup (a int)');
    await withClient(database.url, removeOrphanPartitions);
    expect(await partitions()).toEqual(['samples_1', 'samples_backup']);
  });
});
