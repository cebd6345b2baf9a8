import { afterAll, beforeAll, expect, it } from 'vitest';
import {
  inTransaction,
  type OpenConnection,
  openConnection,
} from '../../../../db/connection/connection.ts';
import { isLockMissed, lockBriefly } from '../../../../db/write/pages/brief-locks.ts';
import { createTestDatabase, type TestDatabase } from '../../../support/database/database.ts';

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

it('a lock that is not available is given up, which is told from other errors', async () => {
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

it('does not apply to the next transaction', async () => {
  await inTransaction(connection, () => lockBriefly(connection));
  const { rows } = await connection.query('show lock_timeout');
  expect(rows).toEqual([{ lock_timeout: '0' }]);
});
