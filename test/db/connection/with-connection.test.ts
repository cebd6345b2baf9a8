import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Connection } from '../../../db/connection/connection.ts';
import { withConnection } from '../../../db/connection/with-connection.ts';
import { openProxy } from '../../support/database/proxy.ts';
import { openQueryDatabase, type QueryDatabase } from '../../support/database/query-database.ts';
import { rowsOf } from '../../support/database/rows-of.ts';

let db: QueryDatabase;

beforeAll(async () => {
  db = await openQueryDatabase();
});

afterAll(() => db.close());

describe('work on a connection of its own', () => {
  it('does not start if it is aborted while the connection opens', async () => {
    const aborting = new AbortController();
    let hasStarted = false;
    const target = { databaseUrl: db.url, signal: aborting.signal };
    const working = withConnection(target, 'test', async () => {
      hasStarted = true;
    });
    aborting.abort(new Error('not wanted'));
    await expect(working).rejects.toThrow('not wanted');
    expect(hasStarted).toBe(false);
  });

  it('has the next statement cancelled if none runs at the abort, and then no other', async () => {
    const aborting = new AbortController();
    const target = { databaseUrl: db.url, signal: aborting.signal };
    const working = withConnection(target, 'test', async (connection) => {
      aborting.abort(new Error('not wanted'));
      await expect.poll(isCancelling).toBe(true);
      await expect(sleep(connection, 600)).rejects.toMatchObject({ code: '57014' });
      // Clean-up, longer than until a repetition.
      await sleep(connection, 0.5);
      return 'cleaned up';
    });
    expect(await working).toBe('cleaned up');
  });

  it('has its statement cancelled even if the way for that is lost at first', async () => {
    const aborting = new AbortController();
    let connections = 0;
    const proxy = await openProxy(db.url, (client, upstream) => {
      connections += 1;
      if (connections === 2) client.destroy();
      else client.pipe(upstream).pipe(client);
    });
    const target = { databaseUrl: proxy.url, signal: aborting.signal };
    const working = withConnection(target, 'test', async (connection) => {
      const sleeping = sleep(connection, 600);
      aborting.abort(new Error('not wanted'));
      await sleeping;
    });
    await expect(working).rejects.toThrow('not wanted');
    expect(connections).toBeGreaterThan(2);
    await proxy.close();
  });
});

const sleep = (connection: Connection, seconds: number) =>
  connection.query('select pg_sleep($1)', [seconds]);

async function isCancelling(): Promise<boolean> {
  const text = `select 1 from pg_stat_activity
    where datname = current_database() and application_name = 'countergraph cancel'`;
  return (await rowsOf(db.url, text, [])).length > 0;
}
