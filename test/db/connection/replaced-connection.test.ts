import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { announcedPid } from '../../../db/connection/backend-pid.ts';
import { type OpenConnection, openConnection } from '../../../db/connection/connection.ts';
import { endConnection } from '../../../db/connection/end-connection.ts';
import { createTestDatabase, type TestDatabase } from '../../support/database/database.ts';

let database: TestDatabase;

beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(() => database?.drop());

const open = (replaces: OpenConnection | null = null) =>
  openConnection(database.url, 'test', { replaces });

const answers = (connection: OpenConnection): Promise<boolean> =>
  connection.query('select').then(
    () => true,
    () => false,
  );

describe('a connection that replaces a lost one', () => {
  it("ends the lost one's process", async () => {
    const lost = await open();
    const next = await open(lost);
    expect(await answers(lost)).toBe(false);
    expect(await answers(next)).toBe(true);
    await endConnection(next);
  });

  it('leaves alone a later process that has the same number', async () => {
    const lost = await open();
    const other = await open();
    await endConnection(lost);
    Object.assign(lost, { processID: announcedPid(other) });
    const next = await open(lost);
    expect(await answers(other)).toBe(true);
    await Promise.all([other, next].map(endConnection));
  });
});
