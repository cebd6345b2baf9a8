import { setTimeout as delay } from 'node:timers/promises';
import { expect } from 'vitest';
import { type BreakableServer, startBreakable } from '../support/database/breakable-server.ts';
import { makeReady } from '../support/database/database.ts';
import type { RestParameters } from '../support/http/rest-parameters.ts';
import { group, guidOf, startLab, T0 } from '../support/lab/lab.ts';
import { CONTEXT, type EndpointName, type Line, type TestService } from '../support/lab/service.ts';
import { plainToppers } from '../support/reference/plain-topper.ts';

export const GROUP = group(1);

const KEYS = 40;

export const LINES: readonly Line[] = Array.from({ length: 10 * KEYS }, (_, i) => ({
  group: GROUP.guid,
  key: `k${i % KEYS}`,
  ts: T0 + 60 * (i % 7),
  values: { 0: i * i },
}));

const WINDOW = { from: T0, to: T0 + 600 };

/** A question for each endpoint. All of them read the database. */
export const QUESTIONS: Readonly<Record<EndpointName, RestParameters>> = {
  slices: { get_disk_usage: true },
  groups: { get_meter_info: true },
  topper: {
    counter_group: guidOf(1),
    window_fromts: WINDOW.from,
    window_tots: WINDOW.to,
    maxitems: 3,
    resolve_keys: false,
  },
};

export const DOCUMENT = `{ context(name: "${CONTEXT}") { counterGroup(guid: "${GROUP.guid}") {
  topper(maxItems: 3, window: { interval: { from: ${WINDOW.from}, to: ${WINDOW.to} } }) {
    others keys { key metric } } } } }`;

/** Starts a service on a PostgreSQL that can be stopped and killed. */
export async function startFaultLab(): Promise<{ lab: TestService; server: BreakableServer }> {
  const server = await startBreakable();
  try {
    await makeReady(server.url);
    const lab = await startLab({
      databaseUrl: server.url,
      groups: [GROUP],
      lines: LINES,
      // Cached answers would need no database.
      settings: { answerCacheBytes: 0, responseCacheBytes: 0 },
    });
    return { lab, server };
  } catch (error) {
    await server.remove();
    throw error;
  }
}

/** Not a measurement, but the promise to operators: the longest recovery after a fault. */
const RECOVERY_MS = 5_000;

/** The service answers again by itself, in time, and its answers are right. */
export async function expectRecovery(lab: TestService): Promise<void> {
  const since = performance.now();
  while ((await lab.rest('topper', QUESTIONS.topper)).status !== 200) await delay(20);
  expect(performance.now() - since).toBeLessThan(RECOVERY_MS);
  await expectRightAnswers(lab);
}

export async function expectRightAnswers(lab: TestService): Promise<void> {
  const [right] = plainToppers(lab, CONTEXT, [{ group: GROUP, meter: 0, ...WINDOW, maxItems: 3 }]);
  const keys = right?.keys.map(({ key, metric }) => ({ key, metric: Number(metric) })) ?? [];
  expect(keys).toHaveLength(3);
  const others = Number(right?.others);
  // From the caches, and without them.
  for (const forget of [() => {}, lab.emptyCaches]) {
    forget();
    expect(await lab.topper(QUESTIONS.topper)).toMatchObject({ sysgrouptotal: others, keys });
    const data = { context: { counterGroup: { topper: { others, keys } } } };
    expect(await lab.graphql(DOCUMENT)).toMatchObject({ status: 200, data });
  }
  for (const endpoint of ['slices', 'groups'] as const) {
    expect((await lab.rest(endpoint, QUESTIONS[endpoint])).status).toBe(200);
  }
  expect((await lab.call('/readyz')).status).toBe(200);
}

/** A refusal as the caller sees it; for errors of GraphQL the status is 500. */
export type Refusal = readonly [status: number, message: string];

/** Asks everything once, with empty caches, and returns the refusals. */
export async function askAll(lab: TestService): Promise<Refusal[]> {
  lab.emptyCaches();
  const asked = (['slices', 'groups', 'topper'] as const).map(async (endpoint) => {
    const { status, body } = await lab.rest(endpoint, QUESTIONS[endpoint]);
    if (status === 200) return [];
    const { message } = body as { message: string };
    return [[status, message] as const];
  });
  const graph = lab.graphql(DOCUMENT).then(({ errors = [], status }) => {
    // A failed field does not change the status.
    return errors.map(({ message, extensions }) => {
      expect([extensions.code, status === 200 || status >= 500]).toEqual([codeOf(message), true]);
      return [500, message] as const;
    });
  });
  return (await Promise.all([...asked, graph])).flat();
}

const codeOf = (message: string): string => (/timed out/.test(message) ? 'TIMEOUT' : 'BACKEND');

export const UNREACHABLE: Refusal = [500, 'Database is not reachable'];

/**
 * Asks everything repeatedly until it is stopped, and returns the distinct refusals. It can only
 * stop if every request comes to an end.
 */
export function keepAsking(lab: TestService): { stop(): Promise<Refusal[]> } {
  const found = new Map<string, Refusal>();
  let stopped = false;
  const loop = async () => {
    while (!stopped) {
      for (const refusal of await askAll(lab)) found.set(JSON.stringify(refusal), refusal);
      await delay(2);
    }
  };
  const loops = Promise.all([loop(), loop(), loop()]);
  return {
    async stop() {
      stopped = true;
      await loops;
      return [...found.values()];
    },
  };
}

/** Returns the running statements of the server, and which of them wait for a lock. */
export async function statementsOf(lab: TestService): Promise<{ pid: number; waits: boolean }[]> {
  return lab.sql(
    `select pid, coalesce(wait_event_type = 'Lock', false) as waits from pg_stat_activity
     where datname = current_database() and application_name ~ '^countergraph( [0-9a-f-]{36})?$' and state = 'active'`,
  );
}
