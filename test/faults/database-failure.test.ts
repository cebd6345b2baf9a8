import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { conn, connLog, importText, NOW, traces } from '../ingest/import-support.ts';
import { createTestDatabase, type TestDatabase } from '../support/database/database.ts';
import { rowsOf } from '../support/database/rows-of.ts';
import { runOnDatabase } from '../support/programs/run-command.ts';

let database: TestDatabase;
let folder: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'countergraph-test-'));
  await writeFile(join(folder, 'conn.log'), connLog(conn(NOW + 1)));
  await writeFile(join(folder, 'names.csv'), '10.0.0.1,alpha\n');
  await writeFile(join(folder, 'new.json'), JSON.stringify({ context: 'new' }));
});
afterAll(() => rm(folder, { recursive: true }));

beforeEach(async () => {
  database = await createTestDatabase();
  vi.stubEnv('DATABASE_URL', database.url);
  await importText(connLog(conn(NOW)), { databaseUrl: database.url });
});
afterEach(async () => {
  vi.unstubAllEnvs();
  await database.drop();
});

/** Lets the server process die that writes to a table: at once, or when it commits. */
async function killWritersOf(table: string, when: 'at once' | 'at commit'): Promise<void> {
  await rowsOf(
    database.url,
    `create function die() returns trigger language plpgsql as
     'begin perform pg_terminate_backend(pg_backend_pid()); perform pg_sleep(60); return new; end'`,
  );
  await rowsOf(
    database.url,
    when === 'at once'
      ? `create trigger die before insert on ${table} for each row execute function die()`
      : `create constraint trigger die after insert on ${table} deferrable initially deferred
         for each row execute function die()`,
  );
}

const AWAY = 'because the database went away \\(.+\\)';

describe('a command whose database goes away', () => {
  it.each([
    [
      'imports',
      ['import', '--context', 'lab', '--format', 'zeek'],
      'conn.log',
      'nothing of it was imported',
    ],
    [
      'key_texts',
      ['labels', '--context', 'lab', '--format', 'csv'],
      'names.csv',
      'no label of it was set',
    ],
    ['contexts', ['apply'], 'new.json', 'what was in progress is undone'],
  ])('says that nothing was written: %s', async (table, command, file, what) => {
    await killWritersOf(table, 'at once');
    const before = await traces(database.url);
    const { status, err } = await runOnDatabase([...command, join(folder, file)]);
    expect(status).toBe(1);
    expect(err.at(-1)).toMatch(new RegExp(`${what}, ${AWAY}: .+ once it is back$`));
    expect(await traces(database.url)).toMatchObject({ imports: before['imports'] });
  });

  it('says that nobody knows, if it went away during the commit', async () => {
    await killWritersOf('imports', 'at commit');
    const command = ['import', '--context', 'lab', '--format', 'zeek', join(folder, 'conn.log')];
    const { err } = await runOnDatabase(command);
    expect(err.at(-1)).toMatch(
      new RegExp(`conn\\.log: it is not known whether it was imported, ${AWAY}: import it again`),
    );
  });

  it('says what to do if the disk is full', async () => {
    await rowsOf(
      database.url,
      `create function fill() returns trigger language plpgsql as
       'begin raise exception ''No space left on device'' using errcode = ''disk_full''; end'`,
    );
    await rowsOf(
      database.url,
      'create trigger fill before insert on imports for each row execute function fill()',
    );
    const command = ['import', '--context', 'lab', '--format', 'zeek', join(folder, 'conn.log')];
    const { err } = await runOnDatabase(command);
    expect(err.at(-1)).toMatch(
      /conn\.log: nothing of it was imported, because No space left .*: free some 32 MB on the disk/,
    );
  });
});
