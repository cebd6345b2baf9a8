import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createTestDatabase, type TestDatabase } from '../support/database/database.ts';
import { holdTables } from '../support/database/held-tables.ts';
import { rowsOf } from '../support/database/rows-of.ts';
import { type BuiltProgram, buildProgram, outcomeOf } from '../support/programs/built-program.ts';
import { until } from '../support/programs/serving-processes.ts';

let program: BuiltProgram;
let database: TestDatabase;

beforeAll(async () => {
  [program, database] = await Promise.all([buildProgram(), createTestDatabase()]);
});

afterAll(async () => {
  await program?.remove();
  await database?.drop();
});

/** The statement for which the program waits while it starts, as if the database hung. */
const WAITING = `
select pid from pg_stat_activity
where datname = current_database() and application_name ~ '^countergraph' and wait_event_type = 'Lock'`;

it('a server that waits for its database while it starts ends after SIGTERM', {
  timeout: 60_000,
}, async () => {
  const held = await holdTables(database.url, ['schema_migrations']);
  try {
    const main = join(program.folder, 'dist/bundle/main.js');
    const child = spawn(process.execPath, [main, 'serve'], {
      cwd: program.folder,
      env: { ...process.env, DATABASE_URL: database.url, PORT: '0' },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    const ended = outcomeOf(child);
    await until(async () => (await rowsOf(database.url, WAITING)).length > 0);
    child.kill('SIGTERM');
    expect(await ended).toEqual({
      status: 143,
      stdout: '',
      stderr: expect.stringContaining('interrupted by SIGTERM'),
    });
  } finally {
    await held.release();
  }
});
