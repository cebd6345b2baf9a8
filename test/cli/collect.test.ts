import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { netflow5Datagram } from '../ingest/datagrams/write-netflow-5.ts';
import { createTestDatabase, type TestDatabase } from '../support/database/database.ts';
import { rowsOf } from '../support/database/rows-of.ts';
import { makeTemporaryFolder } from '../support/database/test-server.ts';
import { startExporter, type TestExporter } from '../support/lab/collect-lab.ts';
import { type BuiltProgram, buildProgram } from '../support/programs/built-program.ts';
import { childrenOf, isRunning } from '../support/programs/processes.ts';
import { runOnDatabase } from '../support/programs/run-command.ts';

let program: BuiltProgram;
let folder: string;
let database: TestDatabase;
const started: ChildProcess[] = [];
const exporters: TestExporter[] = [];

beforeAll(async () => {
  program = await buildProgram();
  folder = await makeTemporaryFolder();
  database = await createTestDatabase();
});

afterEach(() => {
  for (const exporter of exporters.splice(0)) exporter.close();
  for (const child of started.splice(0)) child.kill('SIGKILL');
});

afterAll(async () => {
  await database.drop();
  await rm(folder, { recursive: true, force: true });
  await program.remove();
});

type Started = {
  readonly child: ChildProcess;
  readonly output: () => string;
  /** What it has written to standard error. */
  readonly said: () => string;
};

function start(...parameters: readonly string[]): Started {
  const child = spawn(
    process.execPath,
    [join(program.folder, 'dist/bundle/main.js'), ...parameters],
    {
      cwd: program.folder,
      env: { ...process.env, DATABASE_URL: database.url, PORT: '0' },
      stdio: ['ignore', 'pipe', 'pipe'],
    },
  );
  started.push(child);
  let output = '';
  child.stdout?.on('data', (text) => {
    output += text;
  });
  let said = '';
  child.stderr?.on('data', (text) => {
    said += text;
  });
  return { child, output: () => output, said: () => said };
}

/** Waits until the output has a match, and returns its first group. */
async function found({ child, output }: Started, pattern: RegExp, after = 0): Promise<string> {
  for (;;) {
    const match = pattern.exec(output().slice(after));
    if (match) return match[1] ?? '';
    if (child.exitCode !== null) throw new Error(`it has ended: ${output()}`);
    await delay(10);
  }
}

const READY = /^collecting on udp 127\.0\.0\.1:(\d+)$/m;

async function send(port: string, ...sequences: readonly number[]): Promise<void> {
  const exporter = await startExporter(Number(port));
  exporters.push(exporter);
  const seconds = Math.floor(Date.now() / 1000);
  const record = { bytes: 100, packets: 1, firstMs: 1000, lastMs: 2000, protocol: 1 };
  for (const sequence of sequences) {
    await exporter.send(netflow5Datagram({ uptimeMs: 2000, seconds, sequence }, [record]));
  }
}

async function endOf({ child }: Started, signal: NodeJS.Signals): Promise<unknown> {
  const ended = once(child, 'exit');
  child.kill(signal);
  const [status] = await ended;
  return status;
}

const received = () =>
  rowsOf(
    database.url,
    `select c.name, sum(e.flows)::int as flows, sum(e.lost_flows)::int as lost
     from exporters e join feeds f using (feed_id) join contexts c using (context_id)
     group by 1 order by 1`,
  );

/** Waits until an exporter's context has stored exactly so much. */
const committed = (expected: object) =>
  expect.poll(received, { timeout: 30_000 }).toContainEqual(expected);

describe('countergraph collect', { timeout: 60_000 }, () => {
  it('says where it collects, commits at SIGTERM, and reports what it got', async () => {
    const parameters = ['--context', 'one', '--listen', '127.0.0.1:0', '--json'];
    const collector = start('collect', ...parameters);
    await send(await found(collector, READY), 0, 1, 4);
    // Each waits in the socket until it was read: the last commit must not be too early for it.
    await found(collector, /(.*)/);
    await delay(300);
    expect(await endOf(collector, 'SIGTERM')).toBe(0);
    const report = JSON.parse(collector.output().trim().split('\n').at(-1) ?? '');
    expect(report).toMatchObject({
      context: 'one',
      datagrams: 3,
      flows: 3,
      committedFlows: 3,
      refused: 0,
      dropped: 0,
      unheard: 0,
      lost: { flows: 2, packets: 0, datagrams: 0 },
    });
    expect(await received()).toEqual([{ name: 'one', flows: 3, lost: 2 }]);
  });

  it.each([
    [['collect'], 2, '--context is missing: give a context to fill'],
    [
      ['collect', '--context', 'two', '--listen', 'router:2055'],
      2,
      "option '--listen <[host:]port>' argument 'router:2055' is invalid. It must be a port, or an " +
        'address of this machine and a port, such as 2055, 192.0.2.1:2055 or [::1]:2055; see --help',
    ],
    [
      ['serve', '--collect', 'two=99999'],
      2,
      "option '--collect <context[=[host:]port]>' argument 'two=99999' is invalid. It must be a " +
        'context, if wanted with "=" and a port, or an address of this machine and a port, such as ' +
        '2055, 192.0.2.1:2055 or [::1]:2055; see --help',
    ],
    [
      ['serve', '--collect', 'two', '--collect', 'three=127.0.0.1:6343'],
      2,
      'contexts two and three would both receive at udp port 6343: give each a port of its own, as ' +
        'three=PORT does',
    ],
    [
      ['collect', '--context', 'two', '--listen', '127.0.0.1:0', '--grant', 'nobody'],
      1,
      'There is no user nobody: `npx countergraph user list` shows all',
    ],
  ])('%j fails with status %i', async (parameters, status, message) => {
    const outcome = await runOnDatabase(parameters);
    expect(outcome.status).toBe(status);
    expect(outcome.err.at(-1)).toBe(`countergraph: ${message}`);
  });
});

describe('a collector after another', { timeout: 60_000 }, () => {
  const parameters = ['--context', 'after', '--listen', '127.0.0.1:0'];

  it('waits for it, and then tells the pause and what it has lost if it was killed', async () => {
    const first = start('collect', ...parameters);
    await found(first, READY);
    while ((await feedsOf('after')).length === 0) await delay(10);
    const second = start('collect', ...parameters);
    while (!second.said().includes('another feed fills context after')) await delay(10);
    // As a report would store it while the second waits.
    await rowsOf(database.url, 'update feeds set waiting_flows = 7 where ended_at is null');
    await endOf(first, 'SIGKILL');
    await found(second, READY);
    expect(second.said()).toMatch(/after: nothing was collected from \S+ until now, for \d+ s: /);
    expect(second.said()).toMatch(
      /the collector before has ended without its last commit: 7 flows that it had received by \S+ are lost/,
    );
    expect(await endOf(second, 'SIGTERM')).toBe(0);
    const third = start('collect', ...parameters);
    await found(third, READY);
    expect(third.said()).toContain('nothing was collected from');
    expect(third.said()).not.toContain('has ended without');
    await endOf(third, 'SIGTERM');
  });

  it('tells no pause beside one that runs', async () => {
    const first = start('collect', ...parameters, '--beside');
    await found(first, READY);
    while ((await feedsOf('after', 'and ended_at is null')).length === 0) await delay(10);
    const second = start('collect', ...parameters, '--beside');
    await found(second, READY);
    expect(second.said()).not.toContain('nothing was collected');
  });
});

const feedsOf = (context: string, also = '') =>
  rowsOf(
    database.url,
    `select f.feed_id from feeds f join contexts c using (context_id)
     where c.name = '${context}' ${also}`,
  );

describe('serve --collect', { timeout: 60_000 }, () => {
  it('collects beside the server, starts a dead collector again, and ends it', async () => {
    const server = start('serve', '--collect', 'beside=127.0.0.1:0');
    await send(await found(server, READY), 0);
    await committed({ name: 'beside', flows: 1, lost: 0 });
    const [first = 0] = childrenOf(server.child.pid ?? 0);
    const before = server.output().length;
    process.kill(first, 'SIGKILL');
    await send(await found(server, READY, before), 1);
    await committed({ name: 'beside', flows: 2, lost: 0 });
    expect(await endOf(server, 'SIGTERM')).toBe(0);
  });

  it('ends a collector whose server was killed', async () => {
    const server = start('serve', '--collect', 'beside=127.0.0.1:0');
    await found(server, READY);
    const [collector = 0] = childrenOf(server.child.pid ?? 0);
    await endOf(server, 'SIGKILL');
    while (isRunning(collector)) await delay(20);
    expect(collector).toBeGreaterThan(0);
  });
});
