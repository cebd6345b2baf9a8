import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { DAY, group, guidOf, startLab } from '../../support/lab/lab.ts';
import { CONTEXT, type Line, type TestService } from '../../support/lab/service.ts';
import { type BuiltProgram, buildProgram } from '../../support/programs/built-program.ts';
import { wrongClock } from '../../support/programs/faketime.ts';
import { filesBelow, keepingOf, makePoolFolder, removeFolder } from './keep-support.ts';

const NOW = Math.floor(Date.now() / 1000);
const AHEAD = wrongClock('+400d');

const line = (key: string, ts: number): Line => ({ group: guidOf(1), key, ts, values: { 0: 1 } });

let lab: TestService;
let pool: string;
let program: BuiltProgram;

beforeAll(async () => {
  program = await buildProgram();
  pool = await makePoolFolder();
  lab = await startLab({
    groups: [group(1)],
    declaration: { retention_days: 30, pools: [{ name: 'oper', path: pool }] },
    lines: [40, 20, 10, 0].map((days) => line(`${days} days ago`, NOW - days * DAY)),
  });
  await keepingOf(lab).archive((await names())[1] ?? '');
}, 300_000);

afterAll(async () => {
  await lab.close();
  await removeFolder(pool);
  await program.remove();
});

const names = async () => (await keepingOf(lab).list()).map(({ name }) => name);

const run = (...parameters: string[]) =>
  program.run(parameters, { DATABASE_URL: lab.databaseUrl, ...AHEAD });

/** Runs a server until it logs a line about retention; returns that line. */
async function serveUntilRetention(env: Readonly<Record<string, string>>) {
  const main = join(program.folder, 'dist/bundle/main.js');
  const child: ChildProcess = spawn(process.execPath, [main, 'serve'], {
    cwd: program.folder,
    env: { ...process.env, DATABASE_URL: lab.databaseUrl, PORT: '0', ...env },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  const ended = once(child, 'exit');
  try {
    if (!child.stderr) throw new Error('the server has no log');
    for await (const text of createInterface(child.stderr)) {
      if (/dropped|clocks differ/.test(text)) return JSON.parse(text);
    }
    throw new Error('the server ended before it said anything about retention');
  } finally {
    child.kill('SIGTERM');
    await ended;
  }
}

describe('a program whose clock is 400 days ahead', { timeout: 60_000 }, () => {
  it('drops nothing as a server, and says why', async () => {
    const before = await names();
    expect(await serveUntilRetention(AHEAD)).toMatchObject({
      level: 50,
      msg: expect.stringMatching(/^nothing is dropped for its age, because two clocks differ/),
    });
    expect(await names()).toEqual(before);
    expect(await filesBelow(pool)).toHaveLength(1);
  });

  it('drops nothing expired as a command, and says why', async () => {
    const before = await names();
    const args = ['slices', 'drop', '--context', CONTEXT, '--expired', '--confirm', CONTEXT];
    const { status, stdout, stderr } = await run(...args);
    expect([status, stdout]).toEqual([1, '']);
    expect(stderr).toMatch(/^countergraph: Nothing is dropped for its age, because two clocks/m);
    expect(await names()).toEqual(before);
  });

  it('never drops or archives a slice that is not over by the clock of the database', async () => {
    const before = await names();
    const [newest = ''] = before.slice(-1);
    for (const [what, ...more] of [['drop', '--confirm', CONTEXT], ['archive']] as const) {
      const args = ['slices', what, '--context', CONTEXT, '--slice', newest, ...more];
      const { status, stderr } = await run(...args);
      expect([status, stderr]).toEqual([1, expect.stringContaining(`${newest} is processing`)]);
    }
    expect(await names()).toEqual(before);
  });

  it('tells of an import only what a server drops', async () => {
    const file = join(pool, 'more.ndjson');
    const text = [21, 41].map((days) => JSON.stringify(line('more', NOW - days * DAY)));
    await writeFile(file, `${text.join('\n')}\n`);
    const samples = ['--context', CONTEXT, '--format', 'samples', '--json'];
    const { stdout } = await run('import', ...samples, file);
    expect(JSON.parse(stdout)).toMatchObject({ expired: { slices: 1, retentionDays: 30 } });
  });

  it('has changed nothing: a server whose clock is right drops what is too old', async () => {
    const before = await names();
    const told = await serveUntilRetention({});
    expect(told).toMatchObject({ level: 30, slice: before[0] });
  });
});
