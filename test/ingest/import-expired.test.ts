import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { applyDeclaration } from '../../ingest/declaration/apply.ts';
import { createTestDatabase, type TestDatabase, withClient } from '../support/database/database.ts';
import { makeTemporaryFolder } from '../support/database/test-server.ts';
import { runOnDatabase } from '../support/programs/run-command.ts';
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

/** Imports three days of data, beside data whose newest bucket is `newest`. */
const importWith = async (newest: number) => {
  const log = connLog(conn(NOW), conn(NOW - DAY), conn(NOW - 2 * DAY));
  const options = { databaseUrl: database.url, again: true, now: () => newest };
  await importText(connLog(conn(newest)), options);
  return (await importText(log, options)).expired;
};

describe('an import of data older than the retention of the context', () => {
  it('reports how many slices are expired, whether or not it created them', async () => {
    await keep(30);
    expect(await importWith(END + 30 * DAY - 60)).toEqual({ slices: 2, retentionDays: 30 });
    for (let time = 0; time < 2; time += 1) {
      expect(await importWith(END + 30 * DAY)).toEqual({ slices: 3, retentionDays: 30 });
    }
  });

  it('reports nothing if none is expired, or if everything is kept', async () => {
    await keep(3);
    expect(await importWith(NOW)).toBeNull();
    await keep(null);
    expect(await importWith(END + 300 * DAY)).toBeNull();
  });

  it('counts back from its own data, if they are the newest, as a server does', async () => {
    await keep(1);
    const log = connLog(conn(NOW), conn(NOW - DAY), conn(NOW - 2 * DAY), conn(NOW - 3 * DAY));
    const { expired } = await importText(log, { databaseUrl: database.url, now: () => NOW });
    expect(expired).toEqual({ slices: 2, retentionDays: 1 });
  });
});

describe('the command import', () => {
  it.each([
    [1, '1 slice that it filled is', 'it'],
    [2, '2 slices that it filled are', 'them'],
  ])('warns that a server will drop what it imported: %i', async (slices, what, them) => {
    await keep(5);
    const folder = await makeTemporaryFolder();
    const file = join(folder, 'conn.log');
    const old = Array.from({ length: slices }, (_, n) => conn(NOW - n * DAY));
    await writeFile(file, connLog(conn(NOW + 9 * DAY), ...old));
    vi.stubEnv('DATABASE_URL', database.url);
    const args = ['import', '--context', 'lab', '--format', 'zeek', '--json', file];
    const { status, out, err } = await runOnDatabase(args);
    vi.unstubAllEnvs();
    await rm(folder, { recursive: true });
    expect(status).toBe(0);
    expect(JSON.parse(out[0] ?? '')).toMatchObject({ expired: { slices, retentionDays: 5 } });
    expect(err).toEqual([
      `${file}: ${what} older than the 5 days that context lab keeps: ` +
        `a running server drops ${them}. To keep ${them}, ` +
        'declare more retention_days with `npx countergraph apply`',
    ]);
  });
});
