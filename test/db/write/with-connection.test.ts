import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { withConnection } from '../../../db/write/with-connection.ts';
import { openQueryDatabase, type QueryDatabase } from '../../support/database/query-database.ts';

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

  it('has every statement cancelled after an abort, not only the first', async () => {
    const aborting = new AbortController();
    const target = { databaseUrl: db.url, signal: aborting.signal };
    const codes: unknown[] = [];
    const working = withConnection(target, 'test', async (connection) => {
      aborting.abort(new Error('not wanted'));
      for (let i = 0; i < 3; i += 1) {
        await connection.query('select pg_sleep(600)').catch(({ code }) => codes.push(code));
      }
    });
    await expect(working).resolves.toBeUndefined();
    expect(codes).toEqual(['57014', '57014', '57014']);
  });
});
