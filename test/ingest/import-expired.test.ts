import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { applyDeclaration } from '../../ingest/declaration/apply.ts';
import { createTestDatabase, type TestDatabase, withClient } from '../support/database/database.ts';
import { conn, connLog, importText, NOW } from './import-support.ts';

const DAY = 86_400;
/** The end of the slice that contains NOW. */
const END = Math.ceil(NOW / DAY) * DAY;

let database: TestDatabase;

beforeEach(async () => {
  database = await createTestDatabase();
});
afterEach(() => database.drop());

const keep = (days: number | null) =>
  withClient(database.url, (client) =>
    applyDeclaration(client, { context: 'lab', retention_days: days }),
  );

const importAt = async (now: number) => {
  const log = connLog(conn(NOW), conn(NOW - DAY), conn(NOW - 2 * DAY));
  const options = { databaseUrl: database.url, again: true, now: () => now };
  return (await importText(log, options)).expired;
};

describe('an import of data older than the retention of the context', () => {
  it('reports how many slices are expired, whether or not it created them', async () => {
    await keep(30);
    for (let time = 0; time < 2; time += 1) {
      expect(await importAt(END + 30 * DAY - 1)).toEqual({ slices: 2, retentionDays: 30 });
      expect(await importAt(END + 30 * DAY)).toEqual({ slices: 3, retentionDays: 30 });
    }
  });

  it('reports nothing if none is expired, or if everything is kept', async () => {
    expect(await importAt(END + 9_000 * DAY)).toBeNull();
    await keep(3);
    expect(await importAt(END)).toBeNull();
    await keep(null);
    expect(await importAt(END + 9_000 * DAY)).toBeNull();
  });
});
