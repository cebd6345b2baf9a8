import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { addUser } from '../../access/users.ts';
import { applyDeclaration } from '../../ingest/declaration/apply.ts';
import { encodeGlobalId } from '../../schema/global-id.ts';
import { createTestDatabase, type TestDatabase, withClient } from '../support/database/database.ts';
import { openWay, type Way } from '../support/database/proxy.ts';
import { importLines } from '../support/files/import-lines.ts';
import { openStream } from '../support/http/event-stream.ts';
import { group, guidOf, T0 } from '../support/lab/lab.ts';
import {
  ADA,
  basic,
  type Credentials,
  startTestService,
  type TestService,
} from '../support/lab/service.ts';

/** Known to the primary and to r2, as is ada. */
const BEN: Credentials = { username: 'ben', token: 'ben-token' };
/** Known to the primary only: r2 lags behind. */
const DAVE: Credentials = { username: 'dave', token: 'dave-token' };
/** Known to another database, which is declared as a node by mistake. */
const EVE: Credentials = { username: 'eve', token: 'eve-token' };
/** Known to r2 only. */
const RAY: Credentials = { username: 'ray', token: 'ray-token' };

const databases: TestDatabase[] = [];
let primary: TestDatabase;
let other: TestDatabase;
let r2: TestDatabase;
let wayToPrimary: Way;
let wayToOther: Way;
let wayToR2: Way;
let lab: TestService;
let minutes = 0;

const count = (database: TestDatabase, context: string, value: number) => {
  minutes += 1;
  const line = { group: guidOf(1), key: 'k', ts: T0 + minutes * 60, values: { 0: value } };
  return importLines(database.url, context, [line]);
};

const add = (database: TestDatabase, user: Credentials, contexts: readonly string[]) =>
  withClient(database.url, (client) =>
    addUser(client, { name: user.username, token: user.token, contexts }),
  );

async function createWith(declaration: object): Promise<TestDatabase> {
  const database = await createTestDatabase();
  databases.push(database);
  await withClient(database.url, async (client) => {
    for (const context of ['lab', 'later']) {
      await applyDeclaration(client, { context, groups: [group(1)], ...declaration });
    }
  });
  return database;
}

beforeAll(async () => {
  [other, r2] = await Promise.all([createWith({}), createWith({})]);
  [wayToOther, wayToR2] = await Promise.all([openWay(other.url), openWay(r2.url)]);
  primary = await createWith({
    nodes: [
      { name: 'other', role: 'replica', url: wayToOther.url },
      { name: 'r2', role: 'replica', url: wayToR2.url },
    ],
  });
  wayToPrimary = await openWay(primary.url);
  await Promise.all([count(primary, 'lab', 1), count(other, 'lab', 7), count(r2, 'lab', 22)]);
  await add(primary, ADA, ['lab', 'later']);
  await add(primary, BEN, ['lab']);
  await add(primary, DAVE, ['lab']);
  await add(other, ADA, []);
  await add(other, BEN, ['lab']);
  await add(other, EVE, ['lab']);
  await add(r2, ADA, ['lab', 'later']);
  await add(r2, BEN, ['lab']);
  await add(r2, RAY, ['lab']);
  lab = await startTestService({
    databaseUrl: wayToPrimary.url,
    settings: { loginFailures: 5, trustProxy: ['127.0.0.1'] },
  });
  // The server learns the addresses of the nodes from the primary.
  await lab.data('{ contexts { name } }');
}, 60_000);

beforeEach(() => wayToPrimary.set(false));

afterAll(async () => {
  await lab?.close();
  await Promise.all([wayToPrimary, wayToOther, wayToR2].map((way) => way?.close()));
  await Promise.all(databases.map((database) => database.drop()));
});

const TOPPER = `topper(window: { preset: ALL_AVAILABLE }) { total }`;

async function totalAt(node: string, who: Credentials): Promise<unknown> {
  const { data, errors, status } = await lab.graphql<{ context: unknown }>(
    `query ($node: String) { context(name: "lab", destinationNode: $node) {
      counterGroup(guid: "${guidOf(1)}") { ${TOPPER} } } }`,
    { node },
    basic(who),
  );
  return errors ? [status, errors[0]?.message] : data.context;
}

const totalOf = (total: number) => ({ counterGroup: { topper: { total } } });

/** The same text for all callers, so that they share answers. */
const follow = (node: string | null, who: Credentials, guid = guidOf(1)) =>
  openStream(
    lab.url,
    `subscription ($node: String) { topper(context: "lab", destinationNode: $node,
      counterGroup: "${guid}", window: { preset: ALL_AVAILABLE }) { total } }`,
    { variables: { node }, headers: basic(who) },
  );

const unknownAt = (node: string) =>
  `Node ${node} does not know that you may read lab, wait until it has caught up or the primary can be reached`;

describe('a caller whom only another database knows', () => {
  it('reads nothing but that, by a request', async () => {
    expect(await totalAt('other', EVE)).toEqual(totalOf(7));
    expect(await totalAt('r2', EVE)).toEqual([200, unknownAt('r2')]);
    expect(await totalAt('primary', EVE)).toEqual([200, 'Database is not reachable']);
  });

  it('gets no answer that was made for another subscriber', async () => {
    const ada = await follow('r2', ADA);
    expect(await ada.answer()).toEqual({ topper: { total: 22 } });
    const eve = await follow('r2', EVE);
    await eve.ended;
    expect(eve.messages[0]?.data.errors?.[0]?.message).toBe(unknownAt('r2'));
    expect(eve.messages[1]?.event).toBe('complete');
    ada.close();
  });

  it.each(['primary', null])('gets none from the primary when it is back: %s', async (node) => {
    const streams = [await follow(node, EVE), await follow(node, BEN)];
    for (const stream of streams) {
      expect((await stream.next()).data.errors?.[0]?.message).toBe('Database is not reachable');
    }
    wayToPrimary.set(true);
    const [eve, ben] = streams;
    expect(await ben?.answer()).toEqual({ topper: { total: 1 } });
    await eve?.ended;
    expect(eve?.text()).toContain('Invalid API token');
    expect(eve?.text()).not.toContain('total');
    ben?.close();
  });
});

describe('the last answer of a subscription', () => {
  it('is not for a subscriber whom the primary does not know', async () => {
    const ben = await follow(null, BEN, guidOf(9));
    const eve = await follow(null, EVE, guidOf(9));
    for (const stream of [ben, eve]) await stream.next();
    wayToPrimary.set(true);
    await Promise.all([ben.ended, eve.ended]);
    expect(ben.messages.at(-2)?.data.data).toEqual({ topper: null });
    expect(eve.messages.at(-2)?.data.errors?.[0]?.message).toBe('Invalid API token');
    expect(eve.text()).not.toContain('"topper"');
  });
});

describe('subscribers of a node that does not know the first of them', () => {
  it.each([
    ['reached', true, 22],
    ['reached no more', false, 122],
  ])(
    'get the answers that others may ask for, if other nodes can be %s',
    async (_, isUp, total) => {
      wayToPrimary.set(true);
      const dave = await follow('r2', DAVE);
      expect(await dave.answer()).toEqual({ topper: { total } });
      const ada = await follow('r2', ADA);
      expect(await ada.answer()).toEqual({ topper: { total } });
      wayToPrimary.set(false);
      wayToOther.set(isUp);
      await count(r2, 'lab', 100);
      for (const stream of [dave, ada]) {
        expect(await stream.answer()).toEqual({ topper: { total: total + 100 } });
        stream.close();
      }
      wayToOther.set(true);
    },
  );

  it('get an error each time, but go on, if there is nobody else', async () => {
    wayToPrimary.set(true);
    const dave = await follow('r2', DAVE);
    await dave.answer();
    wayToPrimary.set(false);
    await count(r2, 'lab', 100);
    expect((await dave.next()).data.errors?.[0]?.message).toBe(unknownAt('r2'));
    wayToPrimary.set(true);
    expect(await dave.answer()).toEqual({ topper: { total: 322 } });
    dave.close();
  });
});

describe('a context that the node which identifies the caller does not grant', () => {
  const changed = (node: string | null) =>
    openStream(
      lab.url,
      'subscription ($node: String) { contextChanged(name: "later", destinationNode: $node) { name } }',
      { variables: { node } },
    );

  it('can be followed on a node that does', async () => {
    const stream = await changed('r2');
    expect(await stream.answer()).toEqual({ contextChanged: { name: 'later' } });
    stream.close();
  });

  it('is an error, not null, on the primary, as is one that does not exist', async () => {
    const stream = await changed(null);
    await stream.ended;
    expect(stream.messages[0]?.data.errors?.[0]?.message).toBe('Database is not reachable');
    for (const where of ['name: "later"', 'name: "none"', 'name: "none", destinationNode: "r2"']) {
      const { data, errors } = await lab.graphql(`{ context(${where}) { name } }`);
      expect([data, errors?.[0]?.message]).toEqual([
        { context: null },
        'Database is not reachable',
      ]);
    }
  });

  it('cannot be told from one that does not exist by a caller without access', async () => {
    const ask = (name: string, node: string) =>
      lab.graphql(
        `{ context(name: "${name}", destinationNode: "${node}") { name }
          nodes(ids: ["${encodeGlobalId('Context', `${name}@${node}`)}"]) { id } }`,
        {},
        basic(EVE),
      );
    for (const isUp of [true, false]) {
      wayToR2.set(isUp);
      const { data, errors } = await ask('none', 'r2');
      for (const [name, node] of [
        ['later', 'r2'],
        ['later', 'none'],
      ] as const) {
        expect(await ask(name, node)).toMatchObject({ data, errors });
      }
    }
    wayToR2.set(true);
  });

  it('is found even if an earlier answer was null', async () => {
    const query = '{ context(name: "later", destinationNode: "r2") { name } }';
    wayToPrimary.set(true);
    // Operations are compiled, and their answers cached, only when they are asked again and again.
    for (let i = 0; i < 9; i += 1) {
      expect(await lab.data(query, {}, BEN)).toEqual({ context: null });
    }
    await Promise.all([add(primary, BEN, ['later']), add(r2, BEN, ['later'])]);
    wayToPrimary.set(false);
    expect(await lab.data(query, {}, BEN)).toEqual({ context: { name: 'later' } });
  });
});

describe('a token that one node refuses while another cannot be reached', () => {
  it('may be right there: the error is not that it is wrong', async () => {
    expect(await totalAt('r2', RAY)).toEqual(totalOf(322));
    wayToR2.set(false);
    expect(await totalAt('r2', RAY)).toEqual([500, 'Database is not reachable']);
    wayToR2.set(true);
    expect(await totalAt('r2', { ...RAY, token: 'wrong' })).toEqual([401, 'Invalid API token']);
  });

  it('is counted as a failure there, but not on the primary', async () => {
    const elsewhere = { 'x-forwarded-for': '203.0.113.9' };
    const statusOf = async (who: Credentials) =>
      (await lab.graphql('{ viewer { username } }', {}, { ...basic(who), ...elsewhere })).status;
    wayToR2.set(false);
    const statuses: number[] = [];
    for (let i = 0; i < 6; i += 1) statuses.push(await statusOf(DAVE));
    expect(statuses).toEqual([500, 500, 500, 500, 500, 429]);
    wayToR2.set(true);
    wayToPrimary.set(true);
    expect(await statusOf(DAVE)).toBe(200);
  });
});
