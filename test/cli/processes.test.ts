import type { ChildProcess } from 'node:child_process';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { LIMITS } from '../../domain/limits.ts';
import { countWaiting, holdTables } from '../support/database/held-tables.ts';
import { readMetrics } from '../support/http/metrics-text.ts';
import { group, guidOf, startLab, T0 } from '../support/lab/lab.ts';
import { ADA, basic, type TestService } from '../support/lab/service.ts';
import { type BuiltProgram, buildProgram } from '../support/programs/built-program.ts';
import { isRunning } from '../support/programs/processes.ts';
import {
  endAll,
  type ServingProcesses,
  serveByProcesses,
  until,
} from '../support/programs/serving-processes.ts';

const TOPPER = new URLSearchParams({
  username: 'ada',
  api_token: 'ada-token',
  context: 'lab',
  counter_group: guidOf(1),
  window_fromts: String(T0),
  window_seconds: '60',
});

let program: BuiltProgram;
let lab: TestService;
const started: ChildProcess[] = [];

beforeAll(async () => {
  program = await buildProgram();
  lab = await startLab({
    groups: [group(1)],
    lines: [{ group: guidOf(1), key: 'k', ts: T0, values: { 0: 1 } }],
  });
});

afterAll(async () => {
  endAll(started);
  await lab.close();
  await program.remove();
});

/** Failed log-ins count per address; behind a trusted proxy, tests can use several. */
const BEHIND_PROXY = { COUNTERGRAPH_TRUST_PROXY: '127.0.0.1' };

/** Every topper must query the database. */
const WITHOUT_CACHES = { COUNTERGRAPH_ANSWER_CACHE_MB: '0', COUNTERGRAPH_RESPONSE_CACHE_MB: '0' };

async function serve(env: Readonly<Record<string, string>> = {}): Promise<ServingProcesses> {
  const serving = await serveByProcesses(program, lab.databaseUrl, { env });
  started.push(serving.child);
  return serving;
}

const QUERY = {
  method: 'POST',
  headers: { 'content-type': 'application/json', ...basic(ADA) },
  body: JSON.stringify({ query: '{ viewer { username } }' }),
} as const;

const ask = ({ call }: ServingProcesses) => call('/graphql', QUERY);

/** Sends requests on several new connections at once, until told to end; collects outcomes. */
function askOnAndOn(serving: ServingProcesses, callers: number) {
  const outcomes: (number | string)[] = [];
  let isOver = false;
  const goOn = async () => {
    while (!isOver) {
      outcomes.push(
        await ask(serving).then(
          ({ status }) => status,
          (error: NodeJS.ErrnoException) => error.code ?? error.message,
        ),
      );
    }
  };
  const all = Promise.all(Array.from({ length: callers }, goOn));
  return {
    outcomes,
    async end() {
      isOver = true;
      await all;
      return outcomes;
    },
  };
}

const answeredBy = ({ lines }: ServingProcesses) =>
  new Set(lines.filter(({ msg }) => msg === 'request').map(({ pid }) => pid));

/** Sends requests until each process has answered one; returns how many it took. */
async function untilBothAnswer(serving: ServingProcesses): Promise<number> {
  let asked = 0;
  const isBoth = () => [...serving.pids().values()].every((pid) => answeredBy(serving).has(pid));
  while (!isBoth()) {
    await Promise.all(Array.from({ length: 4 }, () => ask(serving)));
    asked += 4;
  }
  return asked;
}

const ANSWERED = { route: '/graphql', status: '200' };

describe('serve --processes 2', { timeout: 60_000 }, () => {
  let serving: ServingProcesses;
  /** The number of requests answered so far. */
  let answered = 0;

  beforeAll(async () => {
    serving = await serve({
      ...BEHIND_PROXY,
      ...WITHOUT_CACHES,
      COUNTERGRAPH_SHUTDOWN_SECONDS: '50',
    });
  });

  const answeredInMetrics = async () =>
    (await serving.metrics()).value('countergraph_http_request_seconds_count', ANSWERED);

  it('answers with both at one address', async () => {
    expect(serving.said().match(/is ready at/g)).toHaveLength(1);
    expect(new URL(serving.url).port).not.toBe('0');
    answered += await untilBothAnswer(serving);
    expect((await serving.call('/readyz')).text).toBe('ready\n');
    const [divided] = serving.told('the settings are divided among processes');
    expect(divided).toMatchObject({
      process: 'parent',
      processes: 2,
      each: {
        blockCacheMb: 128,
        answerCacheMb: 0,
        responseCacheMb: 0,
        maxConcurrent: 512,
        maxConnections: 1024,
        maxConnectionsPerAddress: 512,
        maxStreams: 2500,
        maxStreamsPerUser: 250,
        databaseConnections: 5,
      },
    });
  });

  it('returns the metrics of both together, whichever process answers', async () => {
    const metrics = await serving.metrics();
    expect(metrics.value('countergraph_http_request_seconds_count', ANSWERED)).toBe(answered);
    expect(metrics.value('countergraph_processes')).toBe(2);
    expect(metrics.value('countergraph_build_info')).toBe(1);
    const names = metrics.families.map(({ name }) => name).toSorted();
    expect(names).toEqual([...new Set(names)]);
    const ofOne = readMetrics((await lab.call('/metrics')).text);
    expect(names).toEqual(ofOne.families.map(({ name }) => name).toSorted());
  });

  /** Guesses a token `count` times; returns how many answers were 401, before 429. */
  async function guess(count: number, from: string): Promise<number> {
    const headers = { ...basic({ ...ADA, token: 'wrong' }), 'x-forwarded-for': from };
    let told = 0;
    for (let i = 0; i < count; i += 1) {
      const { status } = await serving.call(lab.path('slices'), { headers });
      if (status === 401) told += 1;
    }
    return told;
  }

  it('counts failed log-ins over both', async () => {
    const told = await guess(2 * LIMITS.loginFailures, '192.0.2.1');
    expect(told).toBeGreaterThanOrEqual(LIMITS.loginFailures);
    // A failure counted in one process takes a moment to reach the other.
    expect(told).toBeLessThanOrEqual(LIMITS.loginFailures + 1);
  });

  it('replaces one that is killed, and loses only the requests in progress there', async () => {
    const load = askOnAndOn(serving, 4);
    const [victim = 0] = serving.pids().values();
    await until(() => load.outcomes.length > 20);
    process.kill(victim, 'SIGKILL');
    await until(() => serving.told('a process serves').length === 3);
    const before = load.outcomes.length;
    await until(() => load.outcomes.length > before + 20);
    const lost = (await load.end()).filter((outcome) => outcome !== 200);
    expect(lost.length).toBeLessThanOrEqual(4);
    expect(lost).not.toContain('ECONNREFUSED');
    expect([...serving.pids().values()]).not.toContain(victim);
    expect(serving.told('a process died, and is replaced')).toMatchObject([
      { process: 'parent', childPid: victim, reason: 'the process was ended by SIGKILL' },
    ]);
    const metrics = await serving.metrics();
    expect(metrics.value('countergraph_replaced_processes_total', { why: 'died' })).toBe(1);
    expect(metrics.value('countergraph_processes')).toBe(2);
    await untilBothAnswer(serving);
  });

  it('replaces one that gets SIGTERM, and loses no requests or metrics', async () => {
    const counted = (await answeredInMetrics()) ?? 0;
    const load = askOnAndOn(serving, 4);
    const [leaver = 0] = serving.pids().values();
    await until(() => load.outcomes.length > 20);
    process.kill(leaver, 'SIGTERM');
    await until(() => !isRunning(leaver) && serving.told('a process serves').length === 4);
    const outcomes = await load.end();
    expect(new Set(outcomes)).toEqual(new Set([200]));
    expect(await answeredInMetrics()).toBe(counted + outcomes.length);
  });

  it('serves again on the same port after both are killed, and keeps failed log-ins', async () => {
    await guess(LIMITS.loginFailures + 2, '192.0.2.2');
    for (const pid of serving.pids().values()) process.kill(pid, 'SIGKILL');
    await until(() => serving.told('a process serves').length === 6);
    const headers = { ...basic(ADA), 'x-forwarded-for': '192.0.2.2' };
    const call = () => serving.call(lab.path('slices'), { headers });
    const answers = await Promise.all(Array.from({ length: 10 }, call));
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([429]));
  });

  it('finishes the requests of both on SIGTERM, and ends with status 0', async () => {
    await untilBothAnswer(serving);
    const held = await holdTables(lab.databaseUrl, ['open_segment_pages']);
    const asked = Array.from({ length: 4 }, () => serving.call(`${lab.path('topper')}?${TOPPER}`));
    await until(async () => (await countWaiting(lab.databaseUrl)) === 4);
    serving.child.kill('SIGTERM');
    const isRefused = () => ask(serving).then(no, yes);
    await until(isRefused);
    expect(serving.child.exitCode).toBeNull();
    await held.release();
    const answers = await Promise.all(asked);
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200]);
    expect(await serving.ended).toEqual([0, null]);
    expect([...serving.pids().values()].filter(isRunning)).toEqual([]);
  });
});

const no = () => false;
const yes = () => true;

describe('serve --processes', { timeout: 60_000 }, () => {
  it('leaves no process behind when the parent is killed', async () => {
    const serving = await serve();
    const children = [...serving.pids().values()];
    expect(children.filter(isRunning)).toEqual(children);
    serving.child.kill('SIGKILL');
    await until(() => !children.some(isRunning));
  });

  it('says that the address is in use, and ends with status 1', async () => {
    const { port } = new URL(lab.url);
    const { ended, said, other } = await serve({ PORT: port });
    expect(await ended).toEqual([1, null]);
    expect(said()).toBe('');
    expect(other).toEqual([
      `countergraph: 127.0.0.1:${port} is in use by another program: set PORT to a free one, or to 0`,
    ]);
  });
});
