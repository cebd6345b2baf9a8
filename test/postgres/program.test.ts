import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { readdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { expectedSchemaVersion, schemaVersion } from '../../db/migrate.ts';
import { startEmbedded } from '../../postgres/start-embedded.ts';
import { withClient } from '../support/database/database.ts';
import { makeTemporaryFolder } from '../support/database/test-server.ts';
import { type BuiltProgram, buildProgram, outcomeOf } from '../support/programs/built-program.ts';
import { isRunning, postmasterPid } from '../support/programs/processes.ts';

let program: BuiltProgram;
let folder: string;
/** The data folder of the tests that need no fresh one. */
let dataDir: string;

beforeAll(async () => {
  program = await buildProgram();
  folder = await makeTemporaryFolder();
  dataDir = join(folder, 'data');
});

afterAll(async () => {
  await program.remove();
  await rm(folder, { recursive: true, force: true });
});

const dataIn = (dir: string) => ({ COUNTERGRAPH_DATA_DIR: dir, DATABASE_URL: '' });

const usedIn = (dir: string) => `database: embedded PostgreSQL in ${dir}`;

const serversIn = (dir: string) =>
  execFileSync('ps', ['-A', '-ww', '-o', 'args='], { encoding: 'utf8' })
    .split('\n')
    .filter((line) => line.includes(`-D ${dir}`));

/** A command that works until it is interrupted. */
const LONG_WORK = `
  import { Interrupted } from './dist/cli/listen-for-signals.js';
  import { withDatabase } from './dist/cli/database/run-with-database.js';
  try {
    await withDatabase(({ signal }) => new Promise((resolve, reject) => {
      setInterval(() => undefined, 1000);
      signal.addEventListener('abort', () => reject(new Error('stopped early')));
      console.log('working');
    }));
  } catch (error) {
    console.log(error.message);
    process.exit(error instanceof Interrupted ? error.exitStatus : 1);
  }
`;

/** The first output of a child; empty if it ends before. */
const firstOutput = async (child: ChildProcess) => {
  for await (const chunk of child.stdout?.iterator({ destroyOnReturn: false }) ?? []) {
    return String(chunk).trim();
  }
  return '';
};

describe('a command', () => {
  test('reads .env of the working directory, whose variables the environment overrides', async () => {
    const file = join(program.folder, '.env');
    await writeFile(file, 'PORT=x\nLOG_LEVEL=loud\n');
    try {
      const { status, stderr } = await program.run(['migrate'], { LOG_LEVEL: 'info' });
      expect(status).toBe(2);
      expect(stderr).toMatch(/^countergraph: PORT must be [^\n]*\n$/);
    } finally {
      await rm(file);
    }
  });
});

describe('a command on the embedded database', () => {
  test('creates, migrates and stops it from a cold start', async () => {
    const to = await expectedSchemaVersion();
    expect(await program.run(['migrate'], dataIn(dataDir))).toEqual({
      status: 0,
      stdout: `The schema was brought from version none to version ${to}.\n`,
      stderr: `${usedIn(dataDir)}, just created\n`,
    });
    expect(serversIn(dataDir)).toEqual([]);
    const again = await program.run(['migrate', '--json'], dataIn(dataDir));
    expect(JSON.parse(again.stdout)).toEqual({ from: to, to, applied: [] });
    expect(serversIn(dataDir)).toEqual([]);
  });

  test('shares it with another command that starts at the same time', async () => {
    const fresh = join(folder, 'fresh');
    const outcomes = await Promise.all([
      program.run(['migrate', '--json'], dataIn(fresh)),
      program.run(['migrate', '--json'], dataIn(fresh)),
    ]);
    expect(outcomes.map(({ status }) => status)).toEqual([0, 0]);
    expect(outcomes.map(({ stderr }) => stderr).sort()).toEqual([
      `${usedIn(fresh)}\n`,
      `${usedIn(fresh)}, just created\n`,
    ]);
    const from = outcomes.map(({ stdout }) => JSON.parse(stdout).from).sort();
    expect(from).toEqual([await expectedSchemaVersion(), 'none'].sort());
    expect(serversIn(fresh)).toEqual([]);
  });

  test('borrows the server of a running process, and leaves it running', async () => {
    const server = await startEmbedded({ dataDir });
    const pid = await postmasterPid(dataDir);
    expect(await program.run(['migrate'], dataIn(dataDir))).toMatchObject({
      status: 0,
      stderr: `${usedIn(dataDir)}\n`,
    });
    expect(await postmasterPid(dataDir)).toBe(pid);
    expect(await withClient(server.url, schemaVersion)).toBe(await expectedSchemaVersion());
    await server.stop();
    expect(isRunning(pid)).toBe(false);
  });

  test.each([
    ['SIGINT', 130],
    ['SIGTERM', 143],
    ['SIGHUP', 129],
  ] as const)('stops it when %s ends the command early', async (signal, status) => {
    const child = await program.script(LONG_WORK, dataIn(dataDir));
    expect(await firstOutput(child)).toBe('working');
    // A process that the server has just forked has the same command line for a moment.
    await expect.poll(() => serversIn(dataDir)).toHaveLength(1);
    const outcome = outcomeOf(child);
    child.kill(signal);
    // Ctrl-C reaches a program under npm twice: the second time must not cut the shutdown short.
    child.kill(signal);
    expect(await outcome).toEqual({
      status,
      stdout: `interrupted by ${signal}\n`,
      stderr: `${usedIn(dataDir)}\n`,
    });
    expect(serversIn(dataDir)).toEqual([]);
  });

  test('is interrupted, and has not failed, when Ctrl-C also ends the set-up', async () => {
    const fresh = join(folder, 'interrupted');
    const main = join(program.folder, 'dist/bundle/main.js');
    const child = spawn(process.execPath, [main, 'migrate'], {
      cwd: program.folder,
      env: { ...process.env, ...dataIn(fresh) },
      stdio: ['ignore', 'pipe', 'pipe'],
      // As a shell does: a terminal sends its signals to the whole group.
      detached: true,
    });
    const outcome = outcomeOf(child);
    const drafts = async () => (await readdir(fresh)).filter((name) => name.startsWith('new-'));
    await expect
      .poll(async () => {
        const [draft = ''] = await drafts();
        return existsSync(join(fresh, draft, 'cluster/pgdata/PG_VERSION'));
      })
      .toBe(true);
    process.kill(-(child.pid ?? 0), 'SIGINT');
    expect(await outcome).toMatchObject({ status: 130, stdout: '' });
    expect((await outcome).stderr).toBe('countergraph: interrupted by SIGINT\n');
    expect(await drafts()).toEqual([]);
  });

  // Nothing can be written to /dev/full, as on a full disk.
  test.skipIf(!existsSync('/dev/full')).each([
    ['migrate', ['migrate']],
    ['serve', ['serve', '--processes', '1']],
  ])('stops it when standard output cannot be written: %s', async (_, parameters) => {
    const main = join(program.folder, 'dist/bundle/main.js');
    const command = [process.execPath, main, ...parameters].join(' ');
    const child = spawn('sh', ['-c', `${command} >/dev/full`], {
      cwd: program.folder,
      env: { ...process.env, ...dataIn(dataDir), PORT: '0' },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    const { status, stderr } = await outcomeOf(child);
    expect(status).toBe(1);
    expect(stderr.match(/^countergraph: .*/gm)).toEqual([
      'countergraph: cannot write to standard output: ENOSPC: no space left on device, write',
    ]);
    expect(serversIn(dataDir)).toEqual([]);
  });

  test('leaves it running when killed, for the next command to use and to stop', async () => {
    const child = await program.script(LONG_WORK, dataIn(dataDir));
    await firstOutput(child);
    child.kill('SIGKILL');
    await once(child, 'exit');
    const pid = await postmasterPid(dataDir);
    expect(isRunning(pid)).toBe(true);
    expect(await program.run(['migrate'], dataIn(dataDir))).toMatchObject({
      status: 0,
      stderr: `${usedIn(dataDir)}\n`,
    });
    expect(isRunning(pid)).toBe(false);
  });
});
