import { afterAll, beforeAll, expect, it } from 'vitest';
import { inTransaction } from '../../../db/connection/connection.ts';
import { isLockMissed, lockBriefly } from '../../../db/sql/page-partitions.ts';
import {
  openWritableDatabase,
  type WritableDatabase,
} from '../../support/database/writable-database.ts';

let database: WritableDatabase;

beforeAll(async () => {
  database = await openWritableDatabase();
});

afterAll(() => database.close());

it('a lock that is not available is given up, which is told from other errors', async () => {
  const { connection, other } = database;
  await inTransaction(other, async () => {
    await other.query('select from contexts');
    const attempt = inTransaction(connection, async () => {
      await lockBriefly(connection);
      await connection.query('lock table contexts in access exclusive mode');
    });
    const failure = await attempt.catch((error: unknown) => error);
    expect(isLockMissed(failure)).toBe(true);
  });
  const unrelated = await connection.query('select 1 / 0').catch((error) => error);
  expect(isLockMissed(unrelated)).toBe(false);
});

it('the limit does not apply to the next transaction', async () => {
  const { connection } = database;
  await inTransaction(connection, () => lockBriefly(connection));
  const { rows } = await connection.query('show lock_timeout');
  expect(rows).toEqual([{ lock_timeout: '0' }]);
});
