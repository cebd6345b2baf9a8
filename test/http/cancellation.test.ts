import { setTimeout as delay } from 'node:timers/promises';
import pg from 'pg';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { countWaiting } from '../support/database/held-tables.ts';
import { isOnCluster } from '../support/database/on-cluster.ts';
import { group, guidOf, startLab, T0 } from '../support/lab/lab.ts';
import { ADA, basic, CONTEXT, startTestService, type TestService } from '../support/lab/service.ts';

const GROUP = guidOf(1);
const QUESTION = { counter_group: GROUP, window_fromts: T0, window_seconds: 60 };

let lab: TestService;
let brief: TestService;
let locker: pg.Client;

beforeAll(async () => {
  lab = await startLab({
    groups: [group(1)],
    lines: [{ group: GROUP, key: 'k', ts: T0, values: { 0: 1 } }],
  });
  const { databaseUrl } = lab;
  brief = await startTestService({ databaseUrl, settings: { queryTimeoutSeconds: 1 } });
  locker = new pg.Client({ connectionString: databaseUrl, application_name: 'locker' });
  await locker.connect();
});

afterAll(async () => {
  await locker.end();
  await brief.close();
  await lab.close();
});

/** Locks the pages and empties all caches, so that every reader waits. */
async function lockReadings(): Promise<void> {
  lab.emptyCaches();
  brief.emptyCaches();
  await locker.query('begin; lock table open_segment_pages in access exclusive mode');
}

/** The number of running statements and open transactions of the server, without this query. */
const running = async (): Promise<number> => {
  const rows = await lab.sql<{ count: number }>(
    `select count(*)::int from pg_stat_activity where datname = current_database()
       and application_name like 'countergraph%' and state <> 'idle'`,
  );
  return rows[0]?.count ?? 0;
};

/** On a cluster, the connection that has the request's snapshot may end just after the answer. */
async function expectNothingRuns(): Promise<void> {
  if (isOnCluster) await waitUntilRunning(0);
  else expect(await running()).toBe(0);
}

async function waitUntilRunning(count: number): Promise<void> {
  while ((await running()) !== count) await delay(5);
}

/** Counts waiting statements: on a cluster, the request has its snapshot on a second connection. */
async function waitUntilReading(): Promise<void> {
  while ((await countWaiting(lab.databaseUrl)) !== 1) await delay(5);
}

beforeEach(lockReadings);

afterEach(async () => {
  await locker.query('rollback');
  // Whatever happened to the request, the server still answers.
  expect(await lab.topper(QUESTION)).toMatchObject({ keys: [{ key: 'k', metric: 1 }] });
});

describe('a timeout (decision 14)', () => {
  it('answers 500 with the message of the specification, and ends the statement', async () => {
    const answer = await lab.rest('topper', { ...QUESTION, timeout: 1 });
    expect(answer.text).toBe('{"status":"ERROR","message":"Query timed out after 1 seconds"}');
    expect(answer.status).toBe(500);
    expect(answer.headers['content-type']).toBe('application/json; charset=utf-8');
    await expectNothingRuns();
  });

  it('of the topper is the configured one where −1 or none is given', async () => {
    for (const timeout of [-1, undefined]) {
      expect(await brief.refusal('topper', { ...QUESTION, timeout })).toEqual([
        500,
        'Query timed out after 1 seconds',
      ]);
    }
    await expectNothingRuns();
  });

  it('bounds the whole request, not each of its statements', async () => {
    // Two statements of disk usage wait one after the other; together they may take a second.
    expect(await lab.refusal('slices', { get_disk_usage: true, timeout: 1 })).toEqual([
      500,
      'Query timed out after 1 seconds',
    ]);
    await expectNothingRuns();
  });

  it('applies to many requests at once', async () => {
    const asked = Array.from({ length: 15 }, () =>
      lab.refusal('topper', { ...QUESTION, timeout: 1 }),
    );
    for (const answer of await Promise.all(asked)) {
      expect(answer).toEqual([500, 'Query timed out after 1 seconds']);
    }
    await expectNothingRuns();
  });

  it('of a GraphQL field is TIMEOUT on that field, and leaves the others alone', async () => {
    const { data, errors, status } = await lab.graphql(
      `{ viewer { username } context(name: "lab") { name counterGroup(guid: "${GROUP}") {
        name topper(window: { interval: { from: ${T0}, to: ${T0 + 60} } }, timeoutSeconds: 1) {
          total } } } }`,
    );
    expect(data).toEqual({
      viewer: { username: 'ada' },
      context: { name: 'lab', counterGroup: { name: 'Group 1', topper: null } },
    });
    expect(errors).toMatchObject([
      {
        message: 'Query timed out after 1 seconds',
        path: ['context', 'counterGroup', 'topper'],
        extensions: { code: 'TIMEOUT' },
      },
    ]);
    expect(status).toBe(200);
    await expectNothingRuns();
  });
});

describe('overload (decision 5)', () => {
  it('is 503 with Retry-After, and leaves no statement behind', async () => {
    const callers = Array.from({ length: 40 }, () => new AbortController());
    // Each request differs: equal requests would share one answer.
    const asked = callers.map(({ signal }, i) =>
      lab.rest('topper', { ...QUESTION, timeout: 60, maxitems: i + 1 }, { signal }),
    );
    // Each admitted request waits for the locked pages, or for a connection of one that does.
    const first = await Promise.race(asked);
    expect(first.text).toBe('{"status":"ERROR","message":"Server is busy"}');
    expect(first.headers['retry-after']).toMatch(/^[1-9]\d*$/);
    expect(first.status).toBe(503);
    for (const caller of callers) caller.abort();
    await Promise.allSettled(asked);
    await waitUntilRunning(0);
  });
});

describe('a caller that disconnects', () => {
  it('from a REST endpoint leaves no statement behind', async () => {
    const gone = new AbortController();
    const asked = lab.rest('topper', { ...QUESTION, timeout: 60 }, { signal: gone.signal });
    await waitUntilReading();
    gone.abort();
    await expect(asked).rejects.toThrow();
    await waitUntilRunning(0);
  });

  it('has its statement ended within a second, by the clock of the database', async () => {
    // The best of a few: other load on the machine may delay any of them, but a server that checked
    // only every second for callers that disconnect would be late each time.
    let best = Number.POSITIVE_INFINITY;
    for (let attempt = 0; attempt < 5 && best >= 1; attempt += 1) {
      const gone = new AbortController();
      const asked = lab.rest('topper', { ...QUESTION, timeout: 60 }, { signal: gone.signal });
      await waitUntilReading();
      const before = await lab.sql<{ pid: number; at: number }>(
        `select pid, extract(epoch from clock_timestamp())::float8 as at from pg_stat_activity
         where datname = current_database() and application_name like 'countergraph%'
           and state <> 'idle'`,
      );
      gone.abort();
      await expect(asked).rejects.toThrow();
      await waitUntilRunning(0);
      const after = await lab.sql<{ at: number }>(
        `select extract(epoch from state_change)::float8 as at from pg_stat_activity
         where pid = ${before[0]?.pid}`,
      );
      best = Math.min(best, (after[0]?.at ?? Number.NaN) - (before[0]?.at ?? Number.NaN));
    }
    expect(best).toBeLessThan(1);
  });

  it.each([
    ['the first time', 0],
    ['once it is compiled', 5],
  ])('from GraphQL leaves no statement behind, and is not a failure: %s', async (_, times) => {
    const gone = new AbortController();
    const query = `query ($guid: Guid!) { context(name: "${CONTEXT}") { counterGroup(guid: $guid) {
      topper(window: { recentSeconds: 60 }) { total } } } }`;
    const ask = (guid: string, signal: AbortSignal) =>
      lab.call('/graphql', {
        method: 'POST',
        headers: { 'content-type': 'application/json', ...basic(ADA) },
        body: JSON.stringify({ query, variables: { guid } }),
        signal,
      });
    const { signal: stays } = new AbortController();
    for (let i = 0; i < times; i += 1) await ask(guidOf(99), stays);
    const asked = ask(GROUP, gone.signal);
    await waitUntilReading();
    gone.abort();
    await expect(asked).rejects.toThrow();
    await waitUntilRunning(0);
    expect(lab.logText()).not.toContain('a GraphQL field failed');
    const { text } = await lab.call('/metrics');
    expect(text).toContain('countergraph_errors_total{kind="internal"} 0');
  });
});
