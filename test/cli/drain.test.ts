import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { countWaiting, holdTables } from '../support/database/held-tables.ts';
import { httpCall } from '../support/http/http-call.ts';
import { RawConnection, statusOf } from '../support/http/raw-connection.ts';
import { group, guidOf, startLab, T0 } from '../support/lab/lab.ts';
import { ADA, basic, type TestService } from '../support/lab/service.ts';
import { type BuiltProgram, buildProgram } from '../support/programs/built-program.ts';

const GROUP = guidOf(1);
const QUERY = new URLSearchParams({
  username: 'ada',
  api_token: 'ada-token',
  context: 'lab',
  counter_group: GROUP,
  window_fromts: String(T0),
  window_seconds: '60',
});
const GRAPHQL = JSON.stringify({
  query: `{ context(name: "lab") { counterGroup(guid: "${GROUP}") {
    topper(window: { interval: { from: ${T0}, to: ${T0 + 60} } }) { total } } } }`,
});

let program: BuiltProgram;
let lab: TestService;
const started: ChildProcess[] = [];
const holds: { release(): Promise<void> }[] = [];

beforeAll(async () => {
  program = await buildProgram();
  lab = await startLab({
    groups: [group(1)],
    lines: [{ group: GROUP, key: 'k', ts: T0, values: { 0: 1 } }],
  });
});

afterEach(async () => {
  for (const held of holds.splice(0)) await held.release();
  for (const child of started.splice(0)) child.kill('SIGKILL');
});

afterAll(async () => {
  await lab.close();
  await program.remove();
});

/** Locks the pages, so that no topper can be answered until the lock is released. */
async function hold() {
  const held = await holdTables(lab.databaseUrl, ['open_segment_pages']);
  holds.push(held);
  return held;
}

/** Starts a separate server on the lab's database. */
async function serve(env: Readonly<Record<string, string>> = {}) {
  const child = spawn(process.execPath, [join(program.folder, 'dist/bundle/main.js'), 'serve'], {
    cwd: program.folder,
    env: {
      ...process.env,
      DATABASE_URL: lab.databaseUrl,
      PORT: '0',
      COUNTERGRAPH_ANSWER_CACHE_MB: '0',
      COUNTERGRAPH_RESPONSE_CACHE_MB: '0',
      ...env,
    },
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  started.push(child);
  const ended = once(child, 'exit');
  let output = '';
  for await (const chunk of child.stdout.iterator({ destroyOnReturn: false })) {
    output += chunk;
    if (/^countergraph is ready at \S+$/m.test(output)) break;
  }
  const [, url = ''] = /^countergraph is ready at (http:\S+)$/m.exec(output) ?? [];
  return { child, ended, url };
}

const readyz = 'GET /readyz HTTP/1.1\r\nhost: x\r\n\r\n';

async function isRefused(url: string): Promise<boolean> {
  return RawConnection.open(url).then(
    (connection) => {
      connection.destroy();
      return false;
    },
    () => true,
  );
}

async function waitUntilWaiting(count: number): Promise<void> {
  while ((await countWaiting(lab.databaseUrl)) < count) await delay(10);
}

describe('SIGTERM under load', { timeout: 60_000 }, () => {
  it('finishes all requests, accepts no new ones, says so, and ends with status 0', async () => {
    // The server keeps idle connections for a while, so the probe can still be used.
    const { child, ended, url } = await serve({ COUNTERGRAPH_SHUTDOWN_SECONDS: '50' });
    const topper = `${url}${lab.path('topper')}?${QUERY}`;
    const probe = await RawConnection.open(url);
    probe.write(readyz);
    await probe.until('ready\n');
    const held = await hold();
    const headers = { 'content-type': 'application/json', ...basic(ADA) };
    const asked = [
      ...Array.from({ length: 3 }, () => httpCall(topper)),
      ...Array.from({ length: 3 }, () =>
        httpCall(`${url}/graphql`, { method: 'POST', headers, body: GRAPHQL }),
      ),
    ];
    await waitUntilWaiting(6);
    // The head of one request arrives in part, and the rest while the server is draining.
    const arriving = await RawConnection.open(url);
    arriving.write(`GET ${topper} HTTP/1.1\r\nhost:`);
    child.kill('SIGTERM');
    while (!(await isRefused(url))) await delay(5);
    probe.write(readyz);
    await probe.closed();
    expect(statusOf(probe.received)).toBe(503);
    expect(probe.received).toMatch(/connection: close\r\n[\s\S]*\r\n\r\ndraining: .*\n$/i);
    arriving.write(' x\r\n\r\n');
    await waitUntilWaiting(7);
    expect(child.exitCode).toBeNull();
    await held.release();
    const answers = await Promise.all(asked);
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200, 200, 200]);
    for (const answer of answers) {
      expect(answer.headers.connection).toBe('close');
      expect(JSON.parse(answer.text)).toMatchObject({});
    }
    await arriving.closed();
    expect(statusOf(arriving.received)).toBe(200);
    expect(arriving.received).toMatch(/\}$/);
    expect(await ended).toEqual([0, null]);
  });

  it('does not wait for idle connections', async () => {
    const { child, ended, url } = await serve({ COUNTERGRAPH_SHUTDOWN_SECONDS: '3600' });
    const silent = await RawConnection.open(url);
    const idle = await RawConnection.open(url);
    idle.write(readyz);
    await idle.until('ready\n');
    child.kill('SIGTERM');
    expect(await ended).toEqual([0, null]);
    await Promise.all([silent.closed(), idle.closed()]);
  });

  it('ends with status 0 when its time is over, even with requests in progress', async () => {
    const { child, ended, url } = await serve({ COUNTERGRAPH_SHUTDOWN_SECONDS: '1' });
    await hold();
    const asked = httpCall(`${url}${lab.path('topper')}?${QUERY}`);
    asked.catch(() => undefined);
    await waitUntilWaiting(1);
    child.kill('SIGTERM');
    expect(await ended).toEqual([0, null]);
    await expect(asked).rejects.toThrow();
    // Its statement was cancelled too.
    expect(await countWaiting(lab.databaseUrl)).toBe(0);
  });
});
