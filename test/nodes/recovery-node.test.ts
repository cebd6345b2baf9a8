import { pino } from 'pino';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { addUser } from '../../access/users.ts';
import { applyDeclaration } from '../../ingest/declaration/apply.ts';
import { readSettings } from '../../server/settings/settings.ts';
import { type RunningServer, startServer } from '../../server/start-server.ts';
import { makeReady, withClient } from '../support/database/database.ts';
import {
  type Primary,
  type Standby,
  startPrimary,
  startStandby,
} from '../support/database/standby.ts';
import { importLines } from '../support/files/import-lines.ts';
import { pauseServer, resumeServer } from '../support/programs/server-processes.ts';

const HOSTS = '{4CD742B1-C1CA-4708-BE78-0FCA2EB01A86}';
const T = 1_700_000_040;

let primary: Primary;
let standby: Standby;
let server: RunningServer;

beforeAll(async () => {
  primary = await startPrimary();
  await makeReady(primary.url);
  await withClient(primary.url, async (client) => {
    await applyDeclaration(client, {
      context: 'lab',
      nodes: [
        { name: 'dr0', role: 'dr', url_env: 'TEST_DR_URL' },
        { name: 'gone', role: 'replica', url: 'postgres://nobody:secret@127.0.0.1:1/none' },
        { name: 'unset', role: 'replica', url_env: 'TEST_NO_SUCH_URL' },
      ],
      groups: [{ guid: HOSTS, name: 'Hosts', key_kind: 'ip', meters: [METER] }],
    });
    await applyDeclaration(client, { context: 'plain' });
    await addUser(client, { name: 'u', token: 't', contexts: ['lab', 'plain'] });
  });
  await importLines(primary.url, 'lab', [
    { group: HOSTS, key: 'C0.A8.01.0A', ts: T, values: { 0: 1500 } },
    { group: HOSTS, key: 'C0.A8.01.0B', ts: T, values: { 0: 500 } },
  ]);
  standby = await startStandby(primary);
  await standby.waitUntilCaughtUp();
  server = await startServer({
    settings: readSettings({ PORT: '0' }),
    databaseUrl: primary.url,
    log: pino({ level: 'silent' }),
    explorer: { credentials: null },
    variable: (name) => (name === 'TEST_DR_URL' ? standby.url : undefined),
  });
}, 120_000);

afterAll(async () => {
  await server?.close();
  await standby?.remove();
  await primary?.remove();
});

const METER = { id: 0, type: 2, topcount: 10, name: 'Total', description: 'bytes', units: 'bytes' };

async function get(endpoint: string, params: Record<string, string>) {
  const query = new URLSearchParams({ api_token: 't', username: 'u', context: 'lab', ...params });
  const response = await fetch(`${server.url}/api/${endpoint}/${endpoint}_request?${query}`);
  return { status: response.status, body: await response.json() };
}

const topper = (params: Record<string, string>) =>
  get('topper', { counter_group: HOSTS, recentsecs: '60', ...params });

async function ask(query: string) {
  const response = await fetch(`${server.url}/graphql`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: 'Bearer t', 'x-username': 'u' },
    body: JSON.stringify({ query }),
  });
  return { status: response.status, body: await response.json() };
}

const ON_BOTH = `{
  here: context(name: "lab") { ...facts }
  there: context(name: "lab", fromDr: true) { ...facts }
}
fragment facts on Context {
  id haSlaveMode nodeName
  counterGroups { id topper(window: {recentSeconds: 60}) { total keys { key metric } } }
}`;

const UNREACHABLE = {
  status: 500,
  body: { status: 'ERROR', message: 'Database is not reachable' },
};

// The tests must run in this order: the standby is paused and resumed, then the primary stopped.
describe('while both nodes are up', () => {
  it('each node reports itself whether it is a standby', async () => {
    expect((await get('time_slices', {})).body.ha_slave_mode).toBe(false);
    for (const params of [{ get_from_dr: 'true' }, { destination_node: 'dr0' }]) {
      expect((await get('time_slices', params)).body.ha_slave_mode).toBe(true);
    }
  });

  it('the standby gives the same slices and the same topper as the primary', async () => {
    const here = await topper({});
    expect(here.body.keys.map(({ metric }: { metric: number }) => metric)).toEqual([1500, 500]);
    expect(await topper({ get_from_dr: 'true' })).toEqual(here);
    expect(await topper({ destination_node: 'dr0' })).toEqual(here);
    expect(await topper({ destination_node: 'primary' })).toEqual(here);
    const slices = await get('time_slices', { get_total_window: 'true' });
    const there = await get('time_slices', { get_total_window: 'true', get_from_dr: 'true' });
    expect({ ...there.body, ha_slave_mode: false }).toEqual(slices.body);
  });

  it('GraphQL returns both, with distinct ids for caches', async () => {
    const { here, there } = (await ask(ON_BOTH)).body.data;
    expect([here.haSlaveMode, there.haSlaveMode]).toEqual([false, true]);
    expect([here.nodeName, there.nodeName]).toEqual(['primary', 'dr0']);
    expect(there.counterGroups[0].topper).toEqual(here.counterGroups[0].topper);
    expect(there.id).not.toBe(here.id);
    expect(there.counterGroups[0].id).not.toBe(here.counterGroups[0].id);
    const { body } = await ask(`{ node(id: "${there.id}") { ... on Context { nodeName } } }`);
    expect(body.data.node.nodeName).toBe('dr0');
  });

  it('both ways to choose a node at once are refused', async () => {
    const { status, body } = await topper({ get_from_dr: 'true', destination_node: 'dr0' });
    expect(status).toBe(400);
    expect(body.message).toContain('destination_node');
  });

  it('an error names a node that is not configured', async () => {
    expect(await topper({ destination_node: 'nowhere' })).toEqual({
      status: 422,
      body: { status: 'ERROR', message: 'Invalid destination node - nowhere' },
    });
    expect(await get('time_slices', { context: 'plain', get_from_dr: 'true' })).toEqual({
      status: 422,
      body: { status: 'ERROR', message: 'Context plain has no disaster-recovery node' },
    });
  });

  it('a node without a server, or without an address, is not reachable', async () => {
    expect(await topper({ destination_node: 'gone' })).toEqual(UNREACHABLE);
    expect(await topper({ destination_node: 'unset' })).toEqual(UNREACHABLE);
  });
});

describe('with a standby that hangs', () => {
  it('the topper gives up after its timeout, and the primary answers meanwhile', async () => {
    pauseServer(standby);
    try {
      const [late, here] = await Promise.all([
        topper({ get_from_dr: 'true', timeout: '2' }),
        topper({}),
      ]);
      expect(late).toEqual({
        status: 500,
        body: { status: 'ERROR', message: 'Query timed out after 2 seconds' },
      });
      expect(here.status).toBe(200);
    } finally {
      resumeServer(standby);
    }
    expect((await topper({ get_from_dr: 'true' })).status).toBe(200);
  });
});

describe('with a primary that hangs', { timeout: 60_000 }, () => {
  beforeAll(() => pauseServer(primary));
  afterAll(() => resumeServer(primary));

  // Later, the server knows that the primary is silent.
  it('the least time limit is over before the recovery node is asked', async () => {
    for (const choice of [{}, { get_from_dr: 'true' }]) {
      const { status, body } = await topper({ ...choice, timeout: '1' });
      expect([status, body.message]).toEqual([500, 'Query timed out after 1 seconds']);
    }
  });

  it('the wait for the primary is not part of the time limit of a topper in GraphQL', async () => {
    server.emptyCaches();
    const { status, body } = await ask(`{ context(name: "lab", fromDr: true) { counterGroups {
      topper(window: { recentSeconds: 60 }, timeoutSeconds: 1) { total } } } }`);
    const counterGroups = [{ topper: { total: 2000 } }];
    expect({ status, body }).toEqual({
      status: 200,
      body: { data: { context: { counterGroups } } },
    });
  });

  it('the recovery node answers within a short time limit', async () => {
    for (const choice of [{ destination_node: 'dr0' }, { get_from_dr: 'true' }]) {
      expect((await topper({ ...choice, timeout: '2' })).status).toBe(200);
    }
  });
});

describe('with the primary stopped', () => {
  it('the recovery node still answers authorized callers, in REST and GraphQL', async () => {
    const before = await topper({ get_from_dr: 'true' });
    await primary.stop();
    expect(await topper({})).toEqual(UNREACHABLE);
    expect(await topper({ get_from_dr: 'true' })).toEqual(before);
    expect((await get('time_slices', { destination_node: 'dr0' })).body.ha_slave_mode).toBe(true);
    expect((await topper({ get_from_dr: 'true', api_token: 'wrong' })).status).toBe(401);
    const { status, body } = await ask(ON_BOTH);
    expect(status).toBe(200);
    expect(body.data.there.counterGroups[0].topper.total).toBe(2000);
    expect(body.data.here).toBeNull();
    expect(body.errors[0].extensions.code).toBe('BACKEND');
  });

  it('no request hangs if the standby is stopped as well', async () => {
    await standby.stop();
    expect(await topper({ get_from_dr: 'true' })).toEqual(UNREACHABLE);
    expect((await ask('{ viewer { username } }')).status).toBe(500);
  });
});
