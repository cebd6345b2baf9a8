import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { folderAt } from '../../postgres/data-folder.ts';
import { makeTemporaryFolder } from '../support/database/test-server.ts';
import { type BuiltProgram, buildProgram } from '../support/programs/built-program.ts';
import { isRunning, killServer, postmasterPid } from '../support/programs/processes.ts';

const QUESTION =
  '/api/counter_group_info/counter_group_info_request?username=demo&api_token=demo&context=demo';

let program: BuiltProgram;
let folder: string;
let dataDir: string;
let child: ChildProcess;
let url: string;
let logged = '';

beforeAll(async () => {
  program = await buildProgram();
  folder = await makeTemporaryFolder();
  dataDir = join(folder, 'data');
  child = spawn(
    process.execPath,
    [join(program.folder, 'dist/bundle/main.js'), 'serve', '--demo'],
    {
      cwd: program.folder,
      env: {
        ...process.env,
        COUNTERGRAPH_DATA_DIR: dataDir,
        DATABASE_URL: '',
        PORT: '0',
      },
      stdio: ['ignore', 'pipe', 'pipe'],
    },
  );
  child.stderr?.on('data', (chunk) => {
    logged += chunk;
  });
  let output = '';
  for await (const chunk of child.stdout?.iterator({ destroyOnReturn: false }) ?? []) {
    output += chunk;
    if (output.includes('Ctrl-C')) break;
  }
  url = /^countergraph is ready at (http:\S+)$/m.exec(output)?.[1] ?? '';
}, 120_000);

afterAll(async () => {
  if (child.exitCode === null) {
    // A test has failed: leave none of its processes behind.
    child.kill('SIGKILL');
    await once(child, 'exit');
    const postmaster = await postmasterPid(dataDir).catch(() => null);
    if (postmaster !== null && isRunning(postmaster)) killServer(postmaster);
  }
  await rm(folder, { recursive: true, force: true });
  await program.remove();
});

const ask = async (): Promise<{ status: number; text: string }> => {
  const response = await fetch(url + QUESTION);
  return { status: response.status, text: await response.text() };
};

async function untilAnswered(): Promise<string> {
  for (;;) {
    const { status, text } = await ask();
    if (status === 200) return text;
    expect(JSON.parse(text)).toEqual({ status: 'ERROR', message: 'Database is not reachable' });
    await delay(20);
  }
}

const restarts = async (): Promise<number> => {
  const text = await (await fetch(`${url}/metrics`)).text();
  return Number(/^countergraph_database_restarts_total (\d+)$/m.exec(text)?.[1]);
};

/** Not a measurement, but what operators are promised: recovery within this time. */
const RECOVERY_MS = 5_000;

async function untilRestarted(times: number): Promise<void> {
  while ((await restarts()) < times) await delay(20);
}

/** Starts a statement that is too busy to notice that its postmaster is gone. */
async function startEndlessStatement(): Promise<{ pid: number; lost: Promise<unknown> }> {
  const place = folderAt(dataDir, undefined);
  const password = (await readFile(place.passwordFile, 'utf8')).trim();
  const port = Number(
    (await readFile(join(place.pgdata, 'postmaster.pid'), 'utf8')).split('\n')[3],
  );
  const client = new pg.Client({
    host: '127.0.0.1',
    port,
    user: 'countergraph',
    password,
    database: 'postgres',
  });
  await client.connect();
  client.on('error', () => undefined);
  const { rows } = await client.query<{ pid: number }>('select pg_backend_pid() as pid');
  const lost = client
    .query('select count(*) from generate_series(1, 1000000000000)')
    .catch(() => undefined);
  return { pid: rows[0]?.pid ?? 0, lost };
}

describe('serve, when its PostgreSQL dies', { timeout: 60_000 }, () => {
  it('starts it again after the postmaster is killed and leaves a busy backend', async () => {
    const before = await untilAnswered();
    const { pid, lost } = await startEndlessStatement();
    const postmaster = await postmasterPid(dataDir);
    process.kill(postmaster, 'SIGKILL');
    const since = performance.now();
    await untilRestarted(1);
    expect(await untilAnswered()).toBe(before);
    expect(performance.now() - since).toBeLessThan(RECOVERY_MS);
    expect([isRunning(pid), isRunning(postmaster)]).toEqual([false, false]);
    await lost;
    expect((await fetch(`${url}/readyz`)).status).toBe(200);
    expect(logged).toMatch(/the embedded PostgreSQL in .* has died: starting it again/);
    expect(logged).toMatch(/the embedded PostgreSQL in .* is running again/);
  });

  it('starts it again after all its processes are killed at once', async () => {
    killServer(await postmasterPid(dataDir));
    const since = performance.now();
    await untilRestarted(2);
    expect((await ask()).status).toBe(200);
    expect(performance.now() - since).toBeLessThan(RECOVERY_MS);
  });

  it('uses the one that a command has started meanwhile at the same address', async () => {
    process.kill(await postmasterPid(dataDir), 'SIGKILL');
    const { status } = await program.run(['user', 'list'], {
      COUNTERGRAPH_DATA_DIR: dataDir,
      DATABASE_URL: '',
    });
    expect(status).toBe(0);
    await untilAnswered();
  });

  it('does not start it again when serve itself is told to end', async () => {
    const ended = once(child, 'exit');
    const postmaster = await postmasterPid(dataDir);
    child.kill('SIGSTOP');
    process.kill(postmaster, 'SIGKILL');
    child.kill('SIGTERM');
    child.kill('SIGCONT');
    expect(await ended).toEqual([0, null]);
    expect(execFileSync('ps', ['-A', '-ww', '-o', 'args=']).toString()).not.toContain(dataDir);
  });
});
