import { chmod, mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { describeDatabase } from '../../db/describe-database.ts';
import { createTestDatabase } from '../support/database/database.ts';
import { type BuiltProgram, buildProgram } from '../support/programs/built-program.ts';
import { runCommand } from '../support/programs/run-command.ts';

describe('a command on a DATABASE_URL', () => {
  it('says which database it uses, without the password, on standard error', async () => {
    const database = await createTestDatabase();
    vi.stubEnv('DATABASE_URL', database.url);
    try {
      const { out, err } = await runCommand(['user', 'list', '--json']);
      const { hostname, port, username, pathname } = new URL(database.url);
      expect(err).toEqual([
        `database: ${pathname.slice(1)} at ${hostname}:${port}, as ${username}`,
      ]);
      expect(out).toEqual(['[]']);
    } finally {
      vi.unstubAllEnvs();
      await database.drop();
    }
  });

  it.each([
    ['postgres://anna:secret@db.example.com/counters', 'counters at db.example.com:5432, as anna'],
    ['postgres://anna@[::1]:6432/c?password=secret', 'c at [::1]:6432, as anna'],
    ['postgres://anna:secret@/c?host=/run/postgresql', 'c at /run/postgresql, as anna'],
    ['postgres://anna:secret@db/c?application_name=secret', 'c at db:5432, as anna'],
  ])('describes the database of %s without the password', (url, name) => {
    expect(describeDatabase(url)).toBe(name);
  });
});

/** In a checkout, as hints and the demo differ there. */
describe('a command on an embedded database', { timeout: 120_000 }, () => {
  let program: BuiltProgram;
  let folder: string;

  beforeAll(async () => {
    program = await buildProgram();
    folder = program.folder;
    // As root, the embedded server runs as another user, which must reach the folder.
    await chmod(folder, 0o755);
    await mkdir(join(folder, 'build'));
    await writeFile(join(folder, 'build', 'build.mjs'), '');
    await writeFile(join(folder, 'lab.json'), JSON.stringify({ context: 'lab' }));
    await mkdir(join(folder, 'below'));
    vi.stubEnv('DATABASE_URL', undefined);
  });
  afterAll(async () => {
    vi.unstubAllEnvs();
    await program.remove();
  });

  /** Runs a command; returns its lines of standard error. */
  async function run(within: string, ...parameters: string[]): Promise<string[]> {
    const outcome = await program.runIn(join(folder, within), parameters);
    expect(outcome.status).toBe(0);
    return outcome.stderr.trimEnd().split('\n');
  }

  it('says that it makes one, that the demo will be left out, and how to get that', async () => {
    const data = join(folder, '.countergraph');
    expect(await run('.', 'user', 'list')).toEqual([
      `warning: a database was created in ${data}; a command in another folder creates one there: ` +
        `set COUNTERGRAPH_DATA_DIR=${data} to use this one everywhere`,
      `database: embedded PostgreSQL in ${data}, just created`,
    ]);
    expect(await run('.', 'apply', 'lab.json')).toEqual([
      `database: embedded PostgreSQL in ${data}`,
      'note: `npm start` creates the demo only in a database without contexts and users, and ' +
        'this one now has some: `COUNTERGRAPH_DEMO=on npm start` creates it alongside them',
    ]);
    expect(await run('.', 'apply', 'lab.json')).toEqual([
      `database: embedded PostgreSQL in ${data}`,
    ]);
  });

  it('warns in another folder of the existing one, and of settings that are not read', async () => {
    const data = join(folder, '.countergraph');
    await writeFile(join(folder, '.env'), 'LOG_LEVEL=info');
    expect(await run('below', 'user', 'list')).toEqual([
      `warning: ${join(folder, '.env')} is not read, because this is another folder`,
      `warning: there is a database in ${data}, and another one is created in ` +
        `${join(folder, 'below', '.countergraph')}: to use the first, run commands in ${folder} ` +
        `or set COUNTERGRAPH_DATA_DIR=${data}`,
      `database: embedded PostgreSQL in ${join(folder, 'below', '.countergraph')}, just created`,
    ]);
    expect(await run('below', 'user', 'list')).toEqual([
      `warning: ${join(folder, '.env')} is not read, because this is another folder`,
      `database: embedded PostgreSQL in ${join(folder, 'below', '.countergraph')}`,
    ]);
  });
});
