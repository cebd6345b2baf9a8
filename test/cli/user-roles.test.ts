import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { createTestDatabase, type TestDatabase } from '../support/database/database.ts';
import { runOnDatabase } from '../support/programs/run-command.ts';

let database: TestDatabase;
let folder: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'countergraph-test-'));
  for (const context of ['lab', 'office']) {
    await writeFile(join(folder, `${context}.json`), JSON.stringify({ context }));
  }
  database = await createTestDatabase();
  vi.stubEnv('DATABASE_URL', database.url);
});

afterAll(async () => {
  vi.unstubAllEnvs();
  await database.drop();
  await rm(folder, { recursive: true });
});

const run = (...args: string[]) => runOnDatabase(args);

describe('user add --role', () => {
  it('grants a role, which user list shows', async () => {
    await run('apply', join(folder, 'lab.json'));
    await run('apply', join(folder, 'office.json'));
    const add = (...more: string[]) => run('user', 'add', 'anna', ...more);
    await add('--context', 'lab');
    expect((await add('--context', 'lab', '--role', 'editor')).err).toEqual([
      'User anna already exists. Granted now: nothing. New role: lab (editor). ' +
        'Unchanged: nothing.',
    ]);
    expect((await add('--context', 'office', '--context', 'lab')).err).toEqual([
      'User anna already exists. Granted now: office (reader). Unchanged: lab (editor).',
    ]);
    expect((await run('user', 'list')).out).toEqual(['anna: lab (editor), office (reader)']);
    expect(JSON.parse((await run('user', 'list', '--json')).out[0] ?? '')).toEqual([
      {
        name: 'anna',
        contexts: ['lab', 'office'],
        grants: [
          { context: 'lab', role: 'editor' },
          { context: 'office', role: 'reader' },
        ],
      },
    ]);
    expect(await add('--role', 'editor')).toEqual({
      status: 2,
      out: [],
      err: [expect.stringContaining('--role needs --context')],
    });
    expect((await add('--context', 'lab', '--role', 'owner')).status).toBe(2);
  });
});

describe('user add --admin', () => {
  it('makes an administrator, which user list and the audit show, and grants no context', async () => {
    const add = (...more: string[]) => run('user', 'add', 'otto', ...more);
    const { err } = await add('--admin');
    expect(err[1]).toBe('User otto is an administrator: they may manage users, tokens and grants.');
    expect(JSON.parse((await add('--admin', '--json')).out[0] ?? '')).toMatchObject({
      isAdmin: true,
      grants: [],
    });
    expect((await run('user', 'list')).out).toContain('otto (administrator): no contexts');
    const listed = async () => JSON.parse((await run('user', 'list', '--json')).out[0] ?? '');
    expect(await listed()).toContainEqual({
      name: 'otto',
      isAdmin: true,
      contexts: [],
      grants: [],
    });
    await add();
    expect((await add('--no-admin')).err[1]).toBe('User otto is no administrator.');
    expect(await listed()).toContainEqual({ name: 'otto', contexts: [], grants: [] });
    const { out } = await run('audit', '--json');
    const rows = out.map((text) => JSON.parse(text)).filter(({ object }) => object === 'otto');
    expect(rows.map(({ action }) => action)).toEqual([
      'user added',
      'administrator added',
      'administrator removed',
    ]);
  });
});
