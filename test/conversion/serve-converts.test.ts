import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import pg from 'pg';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { CONTEXT_IMPORT_LOCK } from '../../db/advisory-locks.ts';
import { type BuiltProgram, buildProgram } from '../support/programs/built-program.ts';
import { type ConvertLab, FIXTURE, FORMAT_1_TABLES, openClone, READINGS } from './convert-lab.ts';
import { restoreStoredDatabase, type StoredDatabase } from './stored-database.ts';

let program: BuiltProgram;
let stored: StoredDatabase;
let lab: ConvertLab;
/** Holds the lock that the conversion waits for. */
let holder: pg.Client;
const started: ChildProcess[] = [];

beforeAll(async () => {
  program = await buildProgram();
  stored = await restoreStoredDatabase(FIXTURE, 'cold');
}, 120_000);

afterAll(async () => {
  await stored?.remove();
  await program?.remove();
});

beforeEach(async () => {
  lab = await openClone(stored);
  holder = new pg.Client({ connectionString: lab.url });
  holder.on('error', () => undefined);
  await holder.connect();
});

afterEach(async () => {
  for (const child of started.splice(0)) child.kill('SIGKILL');
  await holder.end();
  await lab.close();
});

type Run = { readonly child: ChildProcess; text(): string; ended(): Promise<number | null> };

function run(...parameters: string[]): Run {
  const child = spawn(
    process.execPath,
    [join(program.folder, 'dist/bundle/main.js'), ...parameters],
    {
      cwd: program.folder,
      env: { ...process.env, DATABASE_URL: lab.url, PORT: '0', COUNTERGRAPH_LOG_LEVEL: 'info' },
      stdio: ['ignore', 'pipe', 'pipe'],
    },
  );
  started.push(child);
  let text = '';
  child.stdout?.on('data', (chunk) => (text += chunk));
  child.stderr?.on('data', (chunk) => (text += chunk));
  const end = once(child, 'close');
  return { child, text: () => text, ended: async () => (await end)[0] };
}

/** Waits until the output matches, and returns the first group. */
async function until({ text }: Run, pattern: RegExp): Promise<string> {
  for (;;) {
    const found = pattern.exec(text());
    if (found) return found[1] ?? '';
    await delay(10);
  }
}

const hold = () => holder.query('select pg_advisory_lock($1, 1)', [CONTEXT_IMPORT_LOCK]);
const letGo = () => holder.query('select pg_advisory_unlock($1, 1)', [CONTEXT_IMPORT_LOCK]);

async function expectConverted(): Promise<void> {
  expect(await lab.readings()).toEqual(READINGS);
  expect(await lab.rows(FORMAT_1_TABLES)).toEqual([]);
}

describe('serve on a database of version 1.7', { timeout: 120_000 }, () => {
  it('listens while it converts, is not ready and says why, and then serves', async () => {
    await hold();
    const server = run('serve');
    const port = await until(server, /"port":(\d+)/);
    await until(server, /(waiting for other work on context lab)/);
    const url = `http://127.0.0.1:${port}`;
    expect((await fetch(`${url}/healthz`)).status).toBe(200);
    const ready = await fetch(`${url}/readyz`);
    expect(ready.status).toBe(503);
    expect(await ready.text()).toBe(
      'what version 1.7 stored is being converted: waiting for other work on context lab to end\n',
    );
    const query = { method: 'POST', body: '{"query":"{ __typename }"}' };
    const graphql = await fetch(`${url}/graphql`, query);
    expect([graphql.status, graphql.headers.get('retry-after')]).toEqual([503, '5']);
    expect(await graphql.json()).toEqual({
      errors: [{ message: 'Server is busy', extensions: { code: 'BUSY' } }],
    });
    const rest = await fetch(`${url}/api/topper/topper_request?context=lab`);
    expect(await rest.json()).toEqual({ status: 'ERROR', message: 'Server is busy' });
    await letGo();
    expect(await until(server, /countergraph is ready at (http:\S+)/)).toBe(url);
    expect((await fetch(`${url}/readyz`)).status).toBe(200);
    server.child.kill('SIGTERM');
    expect(await server.ended()).toBe(0);
    await expectConverted();
  });

  it('stops at a signal while it converts, and the next run continues', async () => {
    await hold();
    const server = run('serve');
    await until(server, /(waiting for other work)/);
    server.child.kill('SIGTERM');
    await server.ended();
    expect(await lab.rows(FORMAT_1_TABLES)).not.toEqual([]);
    await letGo();
    const again = run('migrate');
    expect(await again.ended()).toBe(0);
    expect(again.text()).toMatch(/What version 1\.7 stored was converted: [\d,]+ samples in /);
    await expectConverted();
  });

  it('converts once if two processes start at the same moment', async () => {
    const both = [run('migrate'), run('migrate')];
    expect(await Promise.all(both.map(({ ended }) => ended()))).toEqual([0, 0]);
    await expectConverted();
  });

  it('continues where it was killed, at any moment', async () => {
    // Grows by a ratio: the number of kills hardly depends on the speed of the machine.
    for (let ms = 400; ; ms *= 1.5) {
      const killed = run('migrate');
      const timer = setTimeout(() => killed.child.kill('SIGKILL'), ms);
      const status = await killed.ended();
      clearTimeout(timer);
      if (status === 0) break;
    }
    await expectConverted();
  });
});
