import { execFileSync } from 'node:child_process';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { revokeGrant } from '../../../access/users.ts';
import { projectRoot } from '../../../db/project-root.ts';
import { SELECT_IDENTITY } from '../../../db/sql/identity.ts';
import { SELECT_SLICES } from '../../../db/sql/slices.ts';
import { countWaiting, holdTables } from '../../support/database/held-tables.ts';
import { TRANSACTIONS_TO_READ } from '../../support/database/on-cluster.ts';
import { rotateToken } from '../../support/database/rotate-token.ts';
import { readMetrics } from '../../support/http/metrics-text.ts';
import { group, guidOf, startLab, T0 } from '../../support/lab/lab.ts';
import { labelKey } from '../../support/lab/label-key.ts';
import {
  ADA,
  basic,
  CONTEXT,
  type Credentials,
  type TestService,
} from '../../support/lab/service.ts';

const GROUP = guidOf(1);
const BOB = { username: 'bob', token: 'bob-token' };
const OTHER = 'elsewhere';

let lab: TestService;
/** Called once, before the next statement that begins a transaction or reads slices. */
let meanwhile: (() => void) | null = null;

const line = (key: string, value: number) => ({
  group: GROUP,
  key,
  ts: T0,
  values: { 0: value },
});

beforeAll(async () => {
  lab = await startLab({
    groups: [group(1), group(2)],
    lines: [line('a', 5), line('b', 3)],
    // Each operation is compiled on its first request.
    settings: { compileAfter: 1 },
    beforeStatement(text) {
      if (!(text.startsWith('begin') || text === SELECT_SLICES) || !meanwhile) return;
      const once = meanwhile;
      meanwhile = null;
      once();
    },
  });
  await lab.apply({ context: OTHER, groups: [group(1)] });
  await lab.addUser(BOB, [CONTEXT]);
});

afterAll(() => lab.close());

afterEach(() => {
  meanwhile = null;
});

const WINDOW = { counter_group: GROUP, window_fromts: T0, window_tots: T0 + 60 };

const topperDocument = (window: string) => `{ context(name: "${CONTEXT}") {
  counterGroup(guid: "${GROUP}") { topper(window: ${window}) { total keys { key label metric } } } } }`;

const DOCUMENT = topperDocument(`{ interval: { from: ${T0}, to: ${T0 + 60} } }`);

/** Whether `ask` was answered from the cache of responses. */
async function isRemembered(ask: () => Promise<unknown>): Promise<boolean> {
  const hits = async () =>
    readMetrics((await lab.call('/metrics')).text).value('countergraph_memory_lookups_total', {
      memory: 'responses',
      found: 'yes',
    }) ?? 0;
  const before = await hits();
  await ask();
  return (await hits()) > before;
}

const totals = async (credentials: Credentials = ADA) =>
  (
    await lab.data<{ context: { counterGroup: { topper: { total: number } } } }>(
      DOCUMENT,
      {},
      credentials,
    )
  ).context.counterGroup.topper.total;

/** Changes the database from another process, and returns when that is done. */
function change(sql: string): void {
  const script = `
    const { Client } = require('pg');
    const client = new Client({ connectionString: process.argv[1] });
    client.connect().then(() => client.query(process.argv[2])).then(() => client.end());`;
  execFileSync(process.execPath, ['--eval', script, lab.databaseUrl, sql], { cwd: projectRoot() });
}

/** A GET never takes the fast path. */
const byYoga = async (query: string, credentials: Credentials = ADA) =>
  JSON.parse(
    (await lab.call(`/graphql?query=${encodeURIComponent(query)}`, { headers: basic(credentials) }))
      .text,
  );

const begins = (statements: readonly string[]) =>
  statements.filter((text) => text.startsWith('begin')).length;

describe('a whole response', () => {
  it.each([
    ['a topper', () => lab.topper(WINDOW)],
    ['the newest hour', () => lab.topper({ counter_group: GROUP, recentsecs: 3600 })],
    ['groups with their meters', () => lab.ok('groups', { get_meter_info: true })],
    ['a GraphQL operation', () => lab.data(DOCUMENT)],
    ['the same by Yoga', () => byYoga(DOCUMENT)],
    [
      'the same with variables',
      () =>
        lab.data('query ($n: String!) { context(name: $n) { counterGroups { name } } }', {
          n: CONTEXT,
        }),
    ],
  ])('of %s is cached, and is the same', async (_, ask) => {
    await ask();
    const first = await ask();
    let again: unknown;
    expect(await isRemembered(async () => (again = await ask()))).toBe(true);
    expect(again).toEqual(first);
    lab.emptyCaches();
    expect(await ask()).toEqual(first);
  });

  it.each([
    ['today, which ends now', () => lab.topper({ counter_group: GROUP })],
    ['today in GraphQL', () => lab.data(topperDocument('{ preset: TODAY }'))],
    ['today by Yoga', () => byYoga(topperDocument('{ preset: TODAY }'))],
    ['a field that failed, by Yoga', () => byYoga(topperDocument('{ recentSeconds: -1 }'))],
    ['yesterday', () => lab.data(topperDocument('{ preset: YESTERDAY }'))],
    ['slices, which an import may hold', () => lab.ok('slices')],
    ['slices in GraphQL', () => lab.data(`{ context(name: "${CONTEXT}") { slices { status } } }`)],
    [
      'what the node reports about itself',
      () => lab.data(`{ context(name: "${CONTEXT}") { haSlaveMode } }`),
    ],
    [
      'exporters, which are heard at any time',
      () => lab.data(`{ context(name: "${CONTEXT}") { exporters { address } } }`),
    ],
    ['an error', () => lab.rest('topper', { ...WINDOW, meter: 9 })],
    ['a field that failed', () => lab.graphql(topperDocument('{ recentSeconds: -1 }'))],
    [
      'a request that asks for its plan',
      () =>
        lab.call('/graphql', {
          method: 'POST',
          headers: { ...basic(ADA), 'content-type': 'application/json' },
          body: JSON.stringify({ query: DOCUMENT, extensions: { plan: true } }),
        }),
    ],
  ])('of %s is computed each time', async (_, ask) => {
    await ask();
    await ask();
    expect(await isRemembered(ask)).toBe(false);
  });

  it('for today ends at the current time', async () => {
    const window = async () =>
      (
        await lab.data<{ context: { counterGroup: { topper: { window: { to: number } } } } }>(
          `{ context(name: "${CONTEXT}") { counterGroup(guid: "${GROUP}") { topper { window { to } } } } }`,
        )
      ).context.counterGroup.topper.window.to;
    for (let again = 0; again < 3; again += 1) {
      lab.clock.seconds += 60;
      expect(await window()).toBe(lab.clock.seconds);
    }
  });

  it('is computed again when its context changes, and only then', async () => {
    await totals();
    await lab.apply({ context: OTHER, groups: [group(3)] });
    expect(await isRemembered(totals)).toBe(true);
    const before = await totals();
    await lab.importSamples([line('c', 100)]);
    expect(await totals()).toBe(before + 100);
    expect((await lab.topper(WINDOW)).keys[0]).toMatchObject({ key: 'c', metric: 100 });
    expect(await byYoga(DOCUMENT)).toEqual({ data: await lab.data(DOCUMENT) });
  });

  it('shows the current labels and groups', async () => {
    const label = async () => (await lab.topper(WINDOW)).keys[0]?.label;
    await label();
    await labelKey(lab, guidOf(1), ['c', 'sea']);
    expect(await label()).toBe('sea');
    const names = () => lab.data(`{ context(name: "${CONTEXT}") { counterGroups { name } } }`);
    await names();
    await names();
    await lab.apply({ context: CONTEXT, groups: [group(2, { name: 'Renamed' })] });
    expect(JSON.stringify(await names())).toContain('Renamed');
  });

  it('is given only to users who may see it', async () => {
    await totals(BOB);
    await totals(BOB);
    await lab.write((connection) =>
      revokeGrant(connection, { name: BOB.username, context: CONTEXT }),
    );
    expect(await lab.data(DOCUMENT, {}, BOB)).toEqual({ context: null });
    expect(
      (await lab.rest('topper', { ...WINDOW, username: 'bob', api_token: BOB.token })).status,
    ).toBe(403);
    await lab.grant(BOB, [CONTEXT]);
    expect(await totals(BOB)).toBeGreaterThan(0);
    await lab.write((connection) => rotateToken(connection, BOB.username));
    expect((await lab.graphql(DOCUMENT, {}, basic(BOB))).status).toBe(401);
  });

  it('of one user is never given to another', async () => {
    const eve = { username: 'eve', token: 'eve-token' };
    await lab.addUser(eve, [CONTEXT, OTHER]);
    const viewer = (who: Credentials) =>
      lab.data('{ viewer { username contexts { name } } }', {}, who);
    for (let again = 0; again < 3; again += 1) {
      expect(await viewer(ADA)).toEqual({
        viewer: { username: 'ada', contexts: [{ name: CONTEXT }] },
      });
      const named = '{ viewer { username contexts { name } } }';
      expect(await byYoga(named, eve)).toEqual({ data: await viewer(eve) });
      expect(await byYoga(named)).toEqual({ data: await viewer(ADA) });
      expect(await viewer(eve)).toEqual({
        viewer: { username: 'eve', contexts: [{ name: OTHER }, { name: CONTEXT }] },
      });
    }
  });

  it('has the requested media type', async () => {
    const type = async (accept: string) => {
      const headers = { ...basic(ADA), 'content-type': 'application/json', accept };
      const answer = await lab.call('/graphql', {
        method: 'POST',
        headers,
        body: JSON.stringify({ query: DOCUMENT }),
      });
      return answer.headers['content-type'];
    };
    for (let again = 0; again < 3; again += 1) {
      expect(await type('application/json')).toMatch(/^application\/json/);
      expect(await type('application/graphql-response+json')).toMatch(/^application\/graphql-resp/);
    }
  });

  it('answers another operation of the same document with its own data', async () => {
    const query = `query A { viewer { a: username } } query B { viewer { b: username } }`;
    const ask = async (operationName: string) => {
      const headers = { ...basic(ADA), 'content-type': 'application/json' };
      const body = JSON.stringify({ query, operationName });
      return JSON.parse((await lab.call('/graphql', { method: 'POST', headers, body })).text).data;
    };
    for (let again = 0; again < 3; again += 1) {
      expect(await ask('A')).toEqual({ viewer: { a: 'ada' } });
      expect(await ask('B')).toEqual({ viewer: { b: 'ada' } });
    }
  });
});

describe('a response that many callers request at once', () => {
  let held: Awaited<ReturnType<typeof holdTables>>;

  beforeEach(async () => {
    lab.emptyCaches();
    held = await holdTables(lab.databaseUrl, ['open_segment_pages']);
  });

  afterEach(() => held.release());

  const waiting = async (count: number): Promise<void> => {
    while ((await countWaiting(lab.databaseUrl)) !== count) await delay(5);
  };

  const atWork = async (count: number): Promise<void> => {
    const line = `countergraph_requests_at_work ${count}\n`;
    while (!(await lab.call('/metrics')).text.includes(line)) await delay(5);
  };

  /** Waits until all requests are in progress and no more users are being looked up. */
  const identified = async (count: number, statements: () => readonly string[]): Promise<void> => {
    await atWork(count);
    const asked = () => statements().filter((text) => text === SELECT_IDENTITY).length;
    for (let before = 0; before !== asked(); await delay(100)) before = asked();
  };

  it.each([
    ['REST', () => lab.topper(WINDOW)],
    ['GraphQL', () => lab.data(DOCUMENT)],
  ])('is computed once: %s', async (_, ask) => {
    const statements = lab.watchStatements();
    const first = ask();
    await waiting(1);
    const others = Array.from({ length: 20 }, ask);
    // All callers are identified, and they outnumber the connections.
    await identified(21, statements);
    expect(await countWaiting(lab.databaseUrl)).toBe(1);
    await held.release();
    const answer = await first;
    for (const other of await Promise.all(others)) expect(other).toEqual(answer);
    expect(begins(statements())).toBe(TRANSACTIONS_TO_READ);
  });

  it('is computed by a waiting request when the first one is aborted', async () => {
    const statements = lab.watchStatements();
    const caller = new AbortController();
    const first = lab.rest('topper', WINDOW, { signal: caller.signal });
    await waiting(1);
    const others = Array.from({ length: 5 }, () => lab.topper(WINDOW));
    await identified(6, statements);
    caller.abort();
    await expect(first).rejects.toThrow();
    while (begins(statements()) <= TRANSACTIONS_TO_READ) await delay(5);
    await held.release();
    const [answer, ...more] = await Promise.all(others);
    for (const other of more) expect(other).toEqual(answer);
    expect(begins(statements())).toBe(2 * TRANSACTIONS_TO_READ);
  });

  it('keeps no request waiting beyond its own timeout', async () => {
    const first = lab.topper(WINDOW);
    await waiting(1);
    const impatient = await lab.refusal('topper', { ...WINDOW, timeout: 1 });
    expect(impatient).toEqual([500, 'Query timed out after 1 seconds']);
    await held.release();
    expect((await first).keys).not.toHaveLength(0);
  });
});

describe('data that change between the first statement of a request and its transaction', () => {
  const rename = (name: string) => () =>
    change(`update counter_groups set name = '${name}' where name <> '${name}'`);

  it.each([
    ['REST', async () => JSON.stringify(await lab.ok('groups'))],
    [
      'GraphQL, compiled',
      async () =>
        (await lab.graphql(`{ context(name: "${CONTEXT}") { counterGroups { name } } }`)).text,
    ],
    [
      'GraphQL, by Yoga',
      async () => {
        const query = encodeURIComponent(
          `{ context(name: "${CONTEXT}") { counterGroups { name } } }`,
        );
        return (await lab.call(`/graphql?query=${query}`, { headers: basic(ADA) })).text;
      },
    ],
  ])('make the request start over: %s', async (way, ask) => {
    await ask();
    lab.emptyCaches();
    const statements = lab.watchStatements();
    meanwhile = rename(`New ${way}`);
    const answer = await ask();
    expect(answer).toContain(`New ${way}`);
    expect(answer).not.toMatch(/error/i);
    expect(begins(statements())).toBe(2);
    expect(lab.logText()).not.toContain('RetryRequest');
  });

  it('make it start over even if the next statement is outside a transaction', async () => {
    const query = `{ context(name: "${CONTEXT}") { slices { name } } }`;
    await lab.data(query);
    const statements = lab.watchStatements();
    meanwhile = rename('Moved');
    expect(await lab.data(query)).toMatchObject({ context: { slices: [{}] } });
    expect(begins(statements())).toBe(1);
    expect(lab.logText()).not.toContain('RetryRequest');
  });
});

describe('slices', () => {
  it('are read in the statement that looks up the user, in GraphQL after it', async () => {
    const statements = lab.watchStatements();
    await lab.ok('slices');
    expect(statements()).toHaveLength(1);
    await lab.data(`{ context(name: "${CONTEXT}") { slices { name } } }`);
    expect(statements()).toHaveLength(3);
    // With other fields, everything comes from one snapshot.
    await lab.ok('slices', { get_total_window: true, get_disk_usage: true });
    expect(begins(statements())).toBe(1);
  });
});
