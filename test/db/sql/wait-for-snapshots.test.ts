import type pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { waitForSnapshots } from '../../../db/sql/archived-slices.ts';
import { asOtherRole } from '../../support/database/as-other-role.ts';
import { withClient } from '../../support/database/database.ts';
import { openQueryDatabase, type QueryDatabase } from '../../support/database/query-database.ts';

let db: QueryDatabase;

beforeAll(async () => {
  db = await openQueryDatabase();
});

afterAll(() => db.close());

const LONG = { waitMs: 60_000 };

const takeSnapshot = (client: pg.Client) =>
  client.query('begin isolation level repeatable read; select 1');

/** Begins to wait, and returns when the connection has looked at the snapshots there are. */
async function beginToWait(): Promise<{ readonly result: Promise<boolean> }> {
  // Otherwise the last statement of the connection may be the look of another test.
  await db.sql('select 1');
  const result = waitForSnapshots(db.connection, LONG);
  await expect.poll(hasLooked).toBe(true);
  return { result };
}

const hasLooked = () =>
  withClient(db.url, async (client) => {
    const { rows } = await client.query<{ hasLooked: boolean }>(
      `select exists (select from pg_stat_activity where datname = current_database()
         and pid <> pg_backend_pid() and state = 'idle' and query like '%backend_xmin%')
         as "hasLooked"`,
    );
    return rows[0]?.hasLooked;
  });

describe('waiting for snapshots', () => {
  it('ends at once if nobody has one', async () => {
    expect(await waitForSnapshots(db.connection, LONG)).toBe(true);
    // A transaction that has read nothing will see the database as it is when it reads.
    await withClient(db.url, async (client) => {
      await client.query('begin isolation level repeatable read');
      expect(await waitForSnapshots(db.connection, LONG)).toBe(true);
    });
  });

  it('gives up if a transaction keeps its snapshot for too long', async () => {
    await withClient(db.url, async (client) => {
      await takeSnapshot(client);
      expect(await waitForSnapshots(db.connection, { waitMs: 0 })).toBe(false);
    });
  });

  it('ends with the transactions that had one, and lets new ones be', async () => {
    await withClient(db.url, (old) =>
      withClient(db.url, async (young) => {
        await takeSnapshot(old);
        const waiting = await beginToWait();
        await takeSnapshot(young);
        await old.query('commit');
        expect(await waiting.result).toBe(true);
      }),
    );
  });

  it('ends if the same connection has a newer snapshot', async () => {
    await withClient(db.url, async (client) => {
      await takeSnapshot(client);
      const waiting = await beginToWait();
      await client.query('commit');
      await takeSnapshot(client);
      expect(await waiting.result).toBe(true);
    });
  });

  it('waits for the sessions of other roles, although it may see little of them', async () => {
    await withClient(db.url, (client) =>
      asOtherRole(db.connection, null, async () => {
        expect(await waitForSnapshots(db.connection, LONG)).toBe(true);
        await takeSnapshot(client);
        expect(await waitForSnapshots(db.connection, { waitMs: 0 })).toBe(false);
        const waiting = await beginToWait();
        await client.query('commit');
        expect(await waiting.result).toBe(true);
      }),
    );
  });

  it('can be stopped', async () => {
    await withClient(db.url, async (client) => {
      await takeSnapshot(client);
      const signal = AbortSignal.abort();
      await expect(waitForSnapshots(db.connection, { ...LONG, signal })).rejects.toThrow('aborted');
    });
  });
});
