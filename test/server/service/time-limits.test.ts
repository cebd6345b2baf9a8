import type { Socket } from 'node:net';
import type { Worker } from 'node:worker_threads';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { countWaiting, holdTables } from '../../support/database/held-tables.ts';
import { openProxy } from '../../support/database/proxy.ts';
import { openStream } from '../../support/http/event-stream.ts';
import { readMetrics } from '../../support/http/metrics-text.ts';
import { group, guidOf, startLab, T0 } from '../../support/lab/lab.ts';
import {
  ADA,
  basic,
  CONTEXT,
  startTestService,
  type TestService,
} from '../../support/lab/service.ts';

const FEW = guidOf(1);
const MANY = guidOf(2);
const PAIRS = guidOf(3);

/** With two probes, too many keys to be added up on the main thread. */
const KEYS = 40_000;

const SETTINGS = {
  queryTimeoutSeconds: 1,
  answerCacheBytes: 0,
  blockCacheBytes: 0,
  responseCacheBytes: 0,
  workers: 1,
  graphql: {
    tokens: 5_000,
    depth: 12,
    aliases: 1_000,
    rootFields: 100,
    directives: 50,
    cost: 1_000_000,
    nodeIds: 1_000,
  },
};

const LATE = 'Query timed out after 1 seconds';

let lab: TestService;
/** Ends requests after a second. */
let brief: TestService;
/** The same, and compiles each operation. */
let compiling: TestService;

beforeAll(async () => {
  lab = await startLab({
    groups: [
      group(1, { name: 'Few' }),
      group(2, { name: 'Many' }),
      group(3, { key_kind: 'crosskey', crosskey: { parentguid: FEW, crosskeyguid_1: FEW } }),
    ],
    lines: [
      { group: FEW, key: 'a', ts: T0, values: { 0: 5 } },
      { group: FEW, key: 'b', ts: T0 + 300, values: { 0: 3 } },
      { group: PAIRS, key: 'a\\b', ts: T0, values: { 0: 1 } },
      ...Array.from({ length: 2 * KEYS }, (_, i) => ({
        group: MANY,
        key: `k${i % KEYS}`,
        ts: T0,
        values: { 0: (i % KEYS) + 1 },
        probe: i < KEYS ? 'a' : 'b',
      })),
    ],
  });
  const { databaseUrl } = lab;
  brief = await startTestService({ databaseUrl, settings: { ...SETTINGS, compileAfter: 0 } });
  compiling = await startTestService({ databaseUrl, settings: { ...SETTINGS, compileAfter: 1 } });
});

afterAll(async () => {
  await compiling?.close();
  await brief?.close();
  await lab?.close();
});

const WINDOW = `window: { interval: { from: ${T0}, to: ${T0 + 600} } }`;

const TOPPER = `query ($guid: Guid!) { context(name: "${CONTEXT}") { counterGroup(guid: $guid) {
  topper(${WINDOW}) { total keys { key } } } } }`;

const SUBSCRIPTION = `subscription { topper(context: "${CONTEXT}", counterGroup: "${FEW}",
  window: { preset: ALL_AVAILABLE }) { total } }`;

type Way = (service: TestService, guid: string, signal?: AbortSignal) => Promise<string>;

const post = async (service: TestService, body: object, path: string, signal?: AbortSignal) => {
  const headers = {
    ...basic(ADA),
    'content-type': 'application/json',
    accept: path === '/mcp' ? 'application/json, text/event-stream' : 'application/json',
  };
  const call = { method: 'POST', headers, body: JSON.stringify(body), ...(signal && { signal }) };
  return (await service.call(path, call)).text;
};

const topper: Way = (service, guid, signal) =>
  post(service, { query: TOPPER, variables: { guid } }, '/graphql', signal);

const rest =
  (path: string, more: Record<string, string>): Way =>
  async (service, guid, signal) => {
    const given = new URLSearchParams({
      context: CONTEXT,
      counter_group: guid,
      window_fromts: String(T0),
      window_seconds: '600',
      ...more,
    });
    const call = { headers: basic(ADA), ...(signal && { signal }) };
    return (await service.call(`${path}?${given}`, call)).text;
  };

const REST_TOPPER = '/api/topper/topper_request';

const tool: Way = (service, guid, signal) => {
  const window = { interval: { from: T0, to: T0 + 600 } };
  const params = { name: 'topper', arguments: { context: CONTEXT, counterGroup: guid, window } };
  return post(service, { jsonrpc: '2.0', id: 1, method: 'tools/call', params }, '/mcp', signal);
};

/** Everything that a caller can ask, and the service that answers it. */
const WAYS: readonly [string, () => TestService, Way][] = [
  ['GraphQL', () => brief, topper],
  ['GraphQL that is compiled', () => compiling, topper],
  ['a tool', () => brief, tool],
  ['JSON of REST', () => brief, rest(REST_TOPPER, {})],
  ['REST without a limit of its own', () => brief, rest(REST_TOPPER, { timeout: '-1' })],
  ['CSV of REST', () => brief, rest(REST_TOPPER, { format: 'csv' })],
  ['series as CSV', () => brief, rest(REST_TOPPER, { format: 'csv', series: 'true' })],
  ['REST with a limit of its own', () => lab, rest(REST_TOPPER, { timeout: '1' })],
  ['metrics of toppers', () => brief, rest('/metrics/toppers', {})],
];

/** Running statements and open transactions of the servers. */
async function running(): Promise<number> {
  const [row] = await lab.sql<{ count: number }>(
    `select count(*)::int from pg_stat_activity where datname = current_database()
       and application_name like 'countergraph%' and state <> 'idle'`,
  );
  return row?.count ?? Number.NaN;
}

const metric = async (
  service: TestService,
  name: string,
  labels: Readonly<Record<string, string>> = {},
): Promise<number | undefined> =>
  readMetrics((await service.call('/metrics')).text).value(name, labels);

const atWork = (service: TestService) => metric(service, 'countergraph_requests_at_work');

/** Readers of segments wait until it is released, whatever was read before. */
async function hold() {
  for (const service of [lab, brief, compiling]) service.emptyCaches();
  return holdTables(lab.databaseUrl, ['open_segment_pages']);
}

/** A transaction is only given back. */
const sentBy = (statements: () => readonly string[]) =>
  statements().filter((text) => text !== 'rollback');

describe('a request that waits for a lock', () => {
  it.each(WAYS)('ends in time, and sends nothing afterwards: %s', async (_, serviceOf, way) => {
    const service = serviceOf();
    // Compiled by now, and without readings.
    await way(service, guidOf(99));
    const held = await hold();
    try {
      expect(await way(service, FEW)).toContain(LATE);
      const statements = service.watchStatements();
      await expect.poll(() => atWork(service)).toBe(0);
      await expect.poll(running).toBe(0);
      await held.release();
      expect(await way(service === lab ? brief : lab, FEW)).not.toContain('timed out');
      expect(sentBy(statements)).toEqual([]);
    } finally {
      await held.release();
    }
  });

  it.each(WAYS)('ends with its caller, and sends nothing more: %s', async (_, serviceOf, way) => {
    const { databaseUrl } = lab;
    // Its limit would end it much later.
    const patient = await startTestService({
      databaseUrl,
      settings: {
        ...SETTINGS,
        queryTimeoutSeconds: 600,
        compileAfter: serviceOf() === brief ? 0 : 1,
      },
    });
    const held = await hold();
    try {
      await way(patient, guidOf(99));
      const gone = new AbortController();
      const asked = way(patient, FEW, gone.signal);
      await expect.poll(() => countWaiting(databaseUrl)).toBe(1);
      const statements = patient.watchStatements();
      gone.abort();
      await expect(asked).rejects.toThrow();
      await expect.poll(() => countWaiting(databaseUrl)).toBe(0);
      await expect.poll(() => atWork(patient)).toBe(0);
      await expect.poll(running).toBe(0);
      expect(sentBy(statements)).toEqual([]);
    } finally {
      await held.release();
      await patient.close();
    }
  });

  it('ends the answer of a subscription with the limit of a request', async () => {
    const held = await hold();
    const stream = await openStream(brief.url, SUBSCRIPTION);
    try {
      const { data } = await stream.next();
      expect(data.errors).toMatchObject([{ message: LATE }]);
      await expect.poll(running).toBe(0);
    } finally {
      stream.close();
      await held.release();
    }
  });
});

describe('a request to a database that hangs', () => {
  let isHanging = false;
  let hangsAtPages = false;
  /** The connection on which pages were requested then. */
  let silent: Socket | null = null;
  let proxy: Awaited<ReturnType<typeof openProxy>>;
  let services: Map<TestService, TestService>;

  beforeAll(async () => {
    const passing = (from: Socket, to: Socket) =>
      from.on('data', (bytes: Buffer) => {
        if (hangsAtPages && bytes.includes('segment_pages')) {
          isHanging = true;
          silent = from;
        }
        if (!isHanging) to.write(bytes);
      });
    proxy = await openProxy(lab.databaseUrl, (client, upstream) => {
      passing(client, upstream);
      passing(upstream, client);
    });
    const serve = (settings: object) =>
      startTestService({ databaseUrl: proxy.url, settings: { ...SETTINGS, ...settings } });
    services = new Map([
      [brief, await serve({ compileAfter: 0 })],
      [compiling, await serve({ compileAfter: 1 })],
      [lab, await serve({ queryTimeoutSeconds: 60 })],
    ]);
  });

  afterAll(async () => {
    isHanging = false;
    await proxy.close();
    for (const service of services.values()) await service.close();
  });

  it.each(WAYS)('ends with its time limit: %s', async (_, serviceOf, way) => {
    const service = services.get(serviceOf()) ?? serviceOf();
    await way(service, guidOf(99));
    isHanging = true;
    try {
      expect(await way(service, FEW)).toContain(LATE);
    } finally {
      isHanging = false;
    }
    await expect.poll(() => atWork(service)).toBe(0);
    // Statements that hung are never answered: their connections are given up.
    await expect.poll(() => way(service, FEW)).not.toContain('ERROR');
  });

  it('ends a field with its own limit, before the connection is given up', async () => {
    const service = services.get(lab) ?? lab;
    const query = TOPPER.replace('topper(', 'topper(timeoutSeconds: 1, ');
    const ask = () => post(service, { query, variables: { guid: FEW } }, '/graphql');
    await ask();
    service.emptyCaches();
    hangsAtPages = true;
    try {
      const { errors, data } = JSON.parse(await ask());
      expect(errors).toMatchObject([
        { message: LATE, path: ['context', 'counterGroup', 'topper'] },
      ]);
      expect(data.context.counterGroup).toEqual({ topper: null });
      expect(silent?.destroyed).toBe(false);
    } finally {
      hangsAtPages = isHanging = false;
    }
    await expect.poll(ask).not.toContain('errors');
  });
});

describe('a request that waits for a kernel task', () => {
  const messages: unknown[] = [];
  const note = (worker: Worker) => {
    // The task never arrives, as if the thread were busy with it for good.
    worker.postMessage = (message: unknown) => messages.push(message);
  };

  beforeAll(() => {
    process.on('worker', note);
  });

  afterAll(() => {
    process.off('worker', note);
  });

  it.each(WAYS)('ends with its time limit, and its task is dropped: %s', async (...given) => {
    const [, serviceOf, way] = given;
    const { databaseUrl } = lab;
    const service = await startTestService({
      databaseUrl,
      settings: {
        ...SETTINGS,
        queryTimeoutSeconds: serviceOf() === lab ? 60 : 1,
        compileAfter: serviceOf() === compiling ? 1 : 0,
      },
    });
    messages.length = 0;
    try {
      await way(service, guidOf(99));
      const statements = service.watchStatements();
      expect(await way(service, MANY)).toContain(LATE);
      expect(messages).toContainEqual({ job: expect.any(Number), isDropped: true });
      const sent = statements().length;
      const waiting = () => metric(service, 'countergraph_kernel_tasks', { state: 'waiting' });
      await expect.poll(waiting).toBe(0);
      await expect.poll(() => atWork(service)).toBe(0);
      await expect.poll(running).toBe(0);
      expect(statements().length).toBe(sent);
    } finally {
      await service.close();
    }
  });
});

describe('a request with very many values', () => {
  const aliases = Array.from({ length: 350 }, (_, i) => `a${i}: rank`).join(' ');
  const query = `query ($guid: Guid!) { context(name: "${CONTEXT}") { counterGroup(guid: $guid) {
    topper(${WINDOW}, maxItems: 10000) { keys { ${aliases} } } } } }`;

  it.each([
    ['GraphQL', () => brief],
    ['GraphQL that is compiled', () => compiling],
  ])('ends with its time limit: %s', async (_, serviceOf) => {
    const service = serviceOf();
    await post(service, { query, variables: { guid: guidOf(99) } }, '/graphql');
    const text = await post(service, { query, variables: { guid: MANY } }, '/graphql');
    expect(text).toContain(LATE);
    await expect.poll(() => atWork(service)).toBe(0);
    expect(await topper(service, FEW)).toContain('"total"');
  });
});

describe('a field with a limit of its own', () => {
  const below = [
    'keys { series { at } }',
    'keys { percentiles(ranks: [50]) { value } }',
    'keys { peak }',
    'series { at total }',
    'flatSeries { at }',
    `keys { drilldown(crosskey: "${PAIRS}") { total } }`,
  ];

  it.each(below)('is null alone when what is late is %s', async (fields) => {
    const { databaseUrl } = lab;
    // Toppers are remembered, what is below them is read.
    const service = await startTestService({
      databaseUrl,
      settings: { ...SETTINGS, queryTimeoutSeconds: 60, answerCacheBytes: 1_000_000 },
    });
    const documentOf = (selected: string) => `{ viewer { username } context(name: "${CONTEXT}") {
      name counterGroup(guid: "${FEW}") { name
        late: topper(${WINDOW}, timeoutSeconds: 1) { total ${selected} } after: name } } }`;
    expect(await service.data(documentOf('keys { key }'))).toMatchObject({ viewer: {} });
    const locked = await holdTables(databaseUrl, ['open_segment_pages']);
    try {
      const { status, data, errors } = await service.graphql(documentOf(fields));
      expect(status).toBe(200);
      expect(data).toEqual({
        viewer: { username: ADA.username },
        context: { name: CONTEXT, counterGroup: { name: 'Few', late: null, after: 'Few' } },
      });
      const path = ['context', 'counterGroup', 'late'];
      expect(errors).toMatchObject([{ message: LATE, extensions: { code: 'TIMEOUT' } }]);
      expect(errors?.[0]?.path?.slice(0, 3)).toEqual(path);
      await expect.poll(running).toBe(0);
    } finally {
      await locked.release();
      await service.close();
    }
  });
});
