import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { makeReady, withClient } from '../../support/database/database.ts';
import {
  type Primary,
  type Standby,
  startPrimary,
  startStandby,
} from '../../support/database/standby.ts';
import type { SlicesBody } from '../../support/http/answers.ts';
import type { RestParameters } from '../../support/http/rest-parameters.ts';
import { group, guidOf, startLab, T0 } from '../../support/lab/lab.ts';
import { ADA, basic, ENDPOINT_NAMES, type TestService } from '../../support/lab/service.ts';

const GROUP = guidOf(1);
const QUESTION = { counter_group: GROUP, window_fromts: T0, window_seconds: 60 };

/** Variables of nodes whose values are not addresses. */
const MISTAKEN = { OTHER_SCHEME: 'mysql://user:secret@127.0.0.1:9/none', NO_ADDRESS: 'garbage' };

let primary: Primary;
let standby: Standby;
let lab: TestService;

beforeAll(async () => {
  primary = await startPrimary();
  await makeReady(primary.url);
  standby = await startStandby(primary);
  const [blank, rightless] = await makeUnfit();
  lab = await startLab({
    databaseUrl: primary.url,
    variables: { DR_DATABASE_URL: standby.url, EMPTY_URL: '', ...MISTAKEN },
    groups: [group(1)],
    lines: [{ group: GROUP, key: 'k', ts: T0, values: { 0: 7 } }],
    declaration: {
      nodes: [
        { name: 'dr0', role: 'dr', url_env: 'DR_DATABASE_URL' },
        { name: 'r1', role: 'replica', url: standby.url },
        { name: 'dead', role: 'replica', url: 'postgres://user:secret@127.0.0.1:9/none' },
        { name: 'unset', role: 'replica', url_env: 'UNSET_URL' },
        { name: 'empty', role: 'replica', url_env: 'EMPTY_URL' },
        ...Object.keys(MISTAKEN).map((name) => ({ name, role: 'replica', url_env: name })),
        { name: 'blank', role: 'replica', url: blank },
        { name: 'rightless', role: 'replica', url: rightless },
      ],
    },
  });
  await lab.apply({ context: 'lone', groups: [group(1)] });
  await lab.addUser({ username: 'bob', token: 'bob-token' }, ['lone']);
  await standby.waitUntilCaughtUp();
}, 120_000);

afterAll(async () => {
  await lab.close();
  await standby.remove();
  await primary.remove();
});

/** Returns the addresses of a database that was never migrated, and of a role without rights. */
async function makeUnfit(): Promise<[string, string]> {
  const blank = new URL(primary.url);
  blank.pathname = '/blank';
  const rightless = new URL(primary.url);
  rightless.username = 'rightless';
  rightless.password = 'rightless';
  await withClient(primary.url, async (client) => {
    await client.query('create database blank');
    await client.query(`create role rightless login password 'rightless'`);
  });
  return [blank.href, rightless.href];
}

const needed = { slices: {}, groups: {}, topper: QUESTION };

const slaveMode = async (parameters: RestParameters) =>
  (await lab.ok<SlicesBody>('slices', parameters)).ha_slave_mode;

describe('the node that answers (decision 13)', () => {
  it('is the primary unless another is chosen', async () => {
    expect(await slaveMode({})).toBe(false);
    expect(await slaveMode({ destination_node: 'primary' })).toBe(false);
    expect(await slaveMode({ get_from_dr: false })).toBe(false);
  });

  it('reports whether it is a standby', async () => {
    expect(await slaveMode({ destination_node: 'dr0' })).toBe(true);
    expect(await slaveMode({ destination_node: 'r1' })).toBe(true);
    expect(await slaveMode({ get_from_dr: true })).toBe(true);
  });

  it('answers like the primary, for groups and toppers', async () => {
    for (const endpoint of ['groups', 'topper'] as const) {
      const { text } = await lab.rest(endpoint, needed[endpoint]);
      for (const node of [{ destination_node: 'r1' }, { get_from_dr: 'yes' }]) {
        const answer = await lab.rest(endpoint, { ...needed[endpoint], ...node });
        expect(answer).toMatchObject({ status: 200, text });
      }
    }
  });

  it('cannot be chosen both ways at once, not even when they agree', async () => {
    for (const endpoint of ENDPOINT_NAMES) {
      const both = { ...needed[endpoint], destination_node: 'dr0', get_from_dr: true };
      expect((await lab.refusal(endpoint, both))[0]).toBe(400);
    }
  });

  it('must belong to the context', async () => {
    const BOB = { username: 'bob', api_token: 'bob-token', context: 'lone' };
    for (const endpoint of ENDPOINT_NAMES) {
      for (const name of ['nowhere', 'DR0', '__proto__', 'dr0\0']) {
        const asked = { ...needed[endpoint], destination_node: name };
        const message = `Invalid destination node - ${name}`;
        expect(await lab.refusal(endpoint, asked)).toEqual([422, message]);
      }
      const other = { ...needed[endpoint], ...BOB, destination_node: 'dr0' };
      expect(await lab.refusal(endpoint, other)).toEqual([422, 'Invalid destination node - dr0']);
      expect(await lab.refusal(endpoint, { ...needed[endpoint], ...BOB, get_from_dr: 1 })).toEqual([
        422,
        'Context lone has no disaster-recovery node',
      ]);
    }
  });

  it('that cannot be reached is 500, without its address or password', async () => {
    for (const endpoint of ENDPOINT_NAMES) {
      const asked = { ...needed[endpoint], destination_node: 'dead' };
      const answer = await lab.rest(endpoint, asked);
      expect(answer.text).toBe('{"status":"ERROR","message":"Database is not reachable"}');
      expect(answer.status).toBe(500);
    }
    expect(lab.logText()).not.toContain('secret');
  });

  it.each([
    ['dead', 'Database is not reachable', 'connect ECONNREFUSED 127.0.0.1:9'],
    [
      'blank',
      'The node lacks tables or columns, wait until it has replayed the migration of its primary',
      'relation "contexts" does not exist',
    ],
    [
      'rightless',
      "The role in the node's address may not read its tables, grant it the right to",
      'permission denied for table contexts',
    ],
  ])('that cannot answer is named in the log: %s', async (node, message, reason) => {
    const asked = { ...QUESTION, destination_node: node };
    expect(await lab.refusal('topper', asked)).toEqual([500, message]);
    const graph = await lab.graphql(
      `{ context(name: "lab", destinationNode: "${node}") { haSlaveMode
         counterGroup(guid: "${GROUP}") { id } } }`,
    );
    expect(graph.errors?.at(-1)).toMatchObject({ message, extensions: { code: 'BACKEND' } });
    // Other requests may have failed for the same reason before: it is logged once.
    const lines = lab.logText().trim().split('\n');
    const failures = lines.map((line) => JSON.parse(line)).filter(({ err }) => err?.node === node);
    const err = { message: expect.stringContaining(reason) };
    expect(failures.find(({ msg }) => msg.startsWith('a request'))).toMatchObject({ err });
    expect(failures.findLast(({ msg }) => msg.startsWith('a GraphQL'))).toMatchObject({ err });
  });

  it.each([
    ['unset', 'UNSET_URL'],
    ['empty', 'EMPTY_URL'],
  ])(
    'whose address is in a variable that is %s is 500, and the log names the variable',
    async (node, variable) => {
      const before = lab.logText().length;
      const rest = await lab.rest('slices', { destination_node: node });
      const graph = await lab.graphql(
        `{ context(name: "lab", destinationNode: "${node}") { id } }`,
      );
      expect(rest.text).toBe('{"status":"ERROR","message":"Database is not reachable"}');
      expect(rest.status).toBe(500);
      expect(graph.errors).toMatchObject([{ message: 'Database is not reachable' }]);
      expect(graph.text).not.toContain(variable);
      const lines = lab.logText().slice(before).split('\n');
      const named = lines.filter((line) => line.includes(variable)).map((line) => JSON.parse(line));
      const message =
        'Database is not reachable: ' +
        `the variable ${variable} must hold the address of the node ${node} of the context lab, ` +
        'and is not set: set it where the server is started, and restart the server';
      expect(named).toMatchObject([
        { msg: 'a request was refused by the backend', err: { message } },
        { msg: 'a GraphQL field failed', err: { message } },
      ]);
    },
  );
});

it.each(Object.entries(MISTAKEN))(
  'a node whose variable %s is not the address of a database is 500, and the log names the variable',
  async (name, value) => {
    const before = lab.logText().length;
    expect(await lab.refusal('slices', { destination_node: name })).toEqual([
      500,
      'Database is not reachable',
    ]);
    const log = lab.logText().slice(before);
    expect(log).toContain(`the variable ${name} must hold the address of the node ${name}`);
    expect(log).toContain(
      ', and holds something else (not shown: it may hold a password): correct it where the server',
    );
    expect(log).not.toMatch(/ECONNREFUSED|ENOTFOUND|mysql/);
    expect(log).not.toContain(value);
  },
);

describe('nodes in GraphQL', () => {
  const context = (args: string) => `context(name: "lab", ${args}) {
    id name nodeName haSlaveMode counterGroup(guid: "${GROUP}") { id key(key: "k") { id } } }`;

  it('have their own ids, except the primary', async () => {
    const answer = await lab.data<Record<string, { id: string; counterGroup: { id: string } }>>(
      `{ plain: ${context('fromDr: false')} named: ${context('destinationNode: "primary"')}
         dr: ${context('fromDr: true')} r1: ${context('destinationNode: "r1"')} }`,
    );
    const { plain, named, dr, r1 } = answer;
    expect(named).toEqual(plain);
    expect([plain, dr, r1]).toMatchObject([
      { nodeName: 'primary', haSlaveMode: false },
      { nodeName: 'dr0', haSlaveMode: true },
      { nodeName: 'r1', haSlaveMode: true },
    ]);
    expect(new Set([plain, dr, r1].map((each) => each?.id)).size).toBe(3);
    expect(new Set([plain, dr, r1].map((each) => each?.counterGroup.id)).size).toBe(3);
    const found = await lab.data(
      `query ($id: ID!) { node(id: $id) { id ... on Context { nodeName haSlaveMode } } }`,
      { id: dr?.id },
    );
    expect(found).toEqual({ node: { id: dr?.id, nodeName: 'dr0', haSlaveMode: true } });
  });

  it.each([
    ['destinationNode: "nowhere"', 'Invalid destination node - nowhere'],
    ['destinationNode: "dr0", fromDr: true', undefined],
  ])('given as %s are BAD_USER_INPUT on their field', async (args, message) => {
    const answer = await lab.graphql(
      `{ viewer { username } context(name: "lab", ${args}) { id } }`,
    );
    expect(answer.data).toEqual({ viewer: { username: 'ada' }, context: null });
    expect(answer.errors).toMatchObject([
      { path: ['context'], extensions: { code: 'BAD_USER_INPUT' }, ...(message && { message }) },
    ]);
  });

  it('that are dead do not fail the whole answer', async () => {
    const { data, errors, status } = await lab.graphql(
      `{ alive: context(name: "lab") { haSlaveMode totalWindow { from } }
         dead: context(name: "lab", destinationNode: "dead") {
           name nodeName haSlaveMode totalWindow { from } slices { name } pools { name } } }`,
    );
    expect(data).toEqual({
      alive: { haSlaveMode: false, totalWindow: { from: T0 } },
      dead: {
        name: 'lab',
        nodeName: 'dead',
        haSlaveMode: null,
        totalWindow: null,
        slices: null,
        pools: null,
      },
    });
    expect(errors?.map(({ path, extensions }) => [path?.[0], extensions.code])).toEqual(
      Array.from({ length: 4 }, () => ['dead', 'BACKEND']),
    );
    expect(status).toBe(200);
  });
});

describe('while the primary cannot be reached', () => {
  beforeAll(async () => {
    // The server knows the addresses of the nodes from earlier requests.
    expect(await slaveMode({ get_from_dr: true })).toBe(true);
    await primary.stop();
  });

  it('requests to it are 500', async () => {
    for (const endpoint of ENDPOINT_NAMES) {
      expect(await lab.refusal(endpoint, needed[endpoint])).toEqual([
        500,
        'Database is not reachable',
      ]);
    }
    expect((await lab.call('/healthz')).status).toBe(200);
    expect((await lab.call('/readyz')).status).toBe(503);
  });

  it('the recovery node answers', async () => {
    for (const endpoint of ENDPOINT_NAMES) {
      for (const node of [{ get_from_dr: true }, { destination_node: 'r1' }]) {
        expect((await lab.rest(endpoint, { ...needed[endpoint], ...node })).status).toBe(200);
      }
    }
    expect(await lab.topper({ ...QUESTION, get_from_dr: true })).toMatchObject({
      keys: [{ key: 'k', metric: 7 }],
    });
  });

  it('users and grants are those of the recovery node', async () => {
    const dr = { get_from_dr: true };
    expect(await lab.refusal('slices', { ...dr, api_token: 'wrong' })).toEqual([
      401,
      'Invalid API token',
    ]);
    expect(await lab.refusal('slices', { ...dr, username: 'bob', api_token: 'bob-token' })).toEqual(
      [403, 'User bob is not allowed to access context lab'],
    );
  });

  it('GraphQL answers from the recovery node too', async () => {
    const query = `{ context(name: "lab", fromDr: true) { nodeName counterGroup(guid: "${GROUP}") {
      topper(window: { recentSeconds: 60 }) { total } } } }`;
    expect(await lab.graphql(query)).toMatchObject({
      data: { context: { nodeName: 'dr0', counterGroup: { topper: { total: 7 } } } },
      status: 200,
    });
    const wrong = await lab.graphql(query, {}, basic({ ...ADA, token: 'wrong' }));
    expect(wrong).toMatchObject({ status: 401 });
  });
});
