import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { makeReady, withClient } from '../support/database/database.ts';
import {
  type Primary,
  type Standby,
  startPrimary,
  startStandby,
} from '../support/database/standby.ts';
import { type OpenStream, openStream } from '../support/http/event-stream.ts';
import { group, guidOf, startLab, T0 } from '../support/lab/lab.ts';
import { ADA, basic, type Credentials, type TestService } from '../support/lab/service.ts';
import { killServer } from '../support/programs/server-processes.ts';

/** A user whom dr0 does not know yet. */
const DAVE: Credentials = { username: 'dave', token: 'dave-token' };

let primary: Primary;
/** Its replay is paused before the nodes are declared. */
let dr0: Standby;
let r2: Standby;
let lab: TestService;

const line = (value: number) => ({
  group: guidOf(1),
  key: 'k',
  ts: T0 + value * 60,
  values: { 0: value },
});

const replay = (node: Standby, how: 'pause' | 'resume') =>
  withClient(node.url, async (client) => {
    await client.query(`select pg_wal_replay_${how}()`);
    const state = async () => {
      const { rows } = await client.query('select pg_get_wal_replay_pause_state() as state');
      return rows[0]?.state;
    };
    const expected = how === 'pause' ? 'paused' : 'not paused';
    await vi.waitFor(async () => expect(await state()).toBe(expected));
  });

/** The standby has received everything, even if it does not replay it. */
async function received(node: Standby): Promise<void> {
  const [sent] = await lab.sql<{ lsn: string }>('select pg_current_wal_flush_lsn() as lsn');
  const isHere = () =>
    withClient(node.url, async (client) => {
      const text = 'select pg_last_wal_receive_lsn() >= $1::pg_lsn as here';
      return (await client.query(text, [sent?.lsn])).rows[0]?.here;
    });
  await vi.waitFor(async () => expect(await isHere()).toBe(true));
}

beforeAll(async () => {
  primary = await startPrimary();
  await makeReady(primary.url);
  const variables: Record<string, string> = {};
  lab = await startLab({
    // A read that waits for a lock is soon refused: the primary is then busy.
    databaseUrl: `${primary.url}&options=-c%20lock_timeout%3D100ms`,
    groups: [group(1)],
    lines: [line(1)],
    variables,
    // Cached answers would need no node.
    settings: { answerCacheBytes: 0, responseCacheBytes: 0 },
  });
  [dr0, r2] = await Promise.all([startStandby(primary), startStandby(primary)]);
  await Promise.all([dr0.waitUntilCaughtUp(), r2.waitUntilCaughtUp()]);
  await replay(dr0, 'pause');
  variables['DR0'] = dr0.url;
  const bare = new URL(r2.url);
  bare.pathname = '/template1';
  await lab.apply({
    context: 'lab',
    nodes: [
      { name: 'dr0', role: 'dr', url_env: 'DR0' },
      { name: 'bare', role: 'replica', url: bare.href },
      { name: 'r2', role: 'replica', url: r2.url },
    ],
  });
  await lab.addUser(DAVE, ['lab']);
  // dr0 knows neither this context nor that ada may read it.
  await lab.apply({
    context: 'later',
    nodes: [
      { name: 'dr0', role: 'dr', url_env: 'DR0' },
      { name: 'r2', role: 'replica', url: r2.url },
    ],
  });
  await lab.grant(ADA, ['later']);
  await r2.waitUntilCaughtUp();
}, 120_000);

afterAll(async () => {
  await lab?.close();
  await Promise.all([dr0?.remove(), r2?.remove()]);
  await primary?.remove();
});

async function totalAt(where: Readonly<Record<string, string | boolean>>): Promise<unknown> {
  const asked = { counter_group: guidOf(1), recentsecs: '60', ...where };
  const { status, body } = await lab.rest('topper', asked);
  return status === 200 ? status : [status, body];
}

const graph = (choice: string, { username, token }: Credentials = DAVE) =>
  lab.graphql(
    `{ context(name: "lab", ${choice}) { nodeName haSlaveMode counterGroups { id } } }`,
    {},
    {
      authorization: `Bearer ${token}`,
      'x-username': username,
    },
  );

const isAt = (nodeName: string) => ({
  status: 200,
  errors: undefined,
  data: { context: { nodeName, haSlaveMode: true, counterGroups: [{}] } },
});

const TOPPER = `subscription Q($node: String) { topper(context: "lab", destinationNode: $node,
  counterGroup: "${guidOf(1)}", window: { preset: ALL_AVAILABLE }) { total } }`;

const follow = (node: string | null, who: Credentials): Promise<OpenStream> =>
  openStream(lab.url, TOPPER, { variables: { node }, headers: basic(who) });

const total = (value: number) => ({ topper: { total: value } });

// The tests must run in this order: nodes stop one after the other.
describe('a recovery node that lags behind the declaration of the nodes', {
  timeout: 60_000,
}, () => {
  let there: OpenStream;
  let here: OpenStream;

  it('answers those who name it while the primary is up', async () => {
    expect(await totalAt({ get_from_dr: true })).toBe(200);
    expect(await totalAt({ destination_node: 'r2' })).toBe(200);
    there = await follow('r2', DAVE);
    expect(await there.answer()).toEqual(total(1));
    here = await follow(null, DAVE);
    expect(await here.answer()).toEqual(total(1));
    await replay(r2, 'pause');
    await lab.importSamples([line(10)]);
    expect(await here.answer()).toEqual(total(11));
    await received(r2);
  });

  it('answers them while the primary is busy', async () => {
    await withClient(primary.url, async (client) => {
      await client.query('begin; lock table users in access exclusive mode');
      expect(await totalAt({})).toEqual([503, { status: 'ERROR', message: 'Server is busy' }]);
      expect(await totalAt({ get_from_dr: true })).toBe(200);
      expect(await graph('fromDr: true', ADA)).toMatchObject(isAt('dr0'));
      // What another node knows of a caller gives no access to the primary's data.
      expect(await graph('fromDr: false', ADA)).toMatchObject({
        errors: [{ message: 'Server is busy', path: ['context'] }],
        data: { context: null },
      });
      await client.query('rollback');
    });
    expect(await totalAt({})).toBe(200);
  });

  it('keeps the addresses that were read from the primary usable without it', async () => {
    await primary.stop();
    for (const where of [
      { get_from_dr: true },
      { get_from_dr: true },
      { destination_node: 'dr0' },
    ]) {
      expect(await totalAt(where)).toBe(200);
    }
    expect(await graph('fromDr: true', ADA)).toMatchObject(isAt('dr0'));
    expect(await totalAt({ destination_node: 'r2' })).toBe(200);
    expect(await graph('destinationNode: "r2"', ADA)).toMatchObject(isAt('r2'));
  });

  it('has no say in who may read another node', async () => {
    expect(await graph('destinationNode: "r2"', DAVE)).toMatchObject(isAt('r2'));
    expect(await graph('fromDr: true', DAVE)).toMatchObject({
      status: 200,
      errors: [
        {
          message:
            'Node dr0 does not know that you may read lab, wait until it has caught up or the primary can be reached',
          path: ['context'],
          extensions: { code: 'BACKEND' },
        },
      ],
      data: { context: null },
    });
    const { status, errors } = await graph('destinationNode: "r2"', { ...ADA, token: 'wrong' });
    expect([status, errors?.[0]?.message]).toEqual([401, 'Invalid API token']);
  });

  it('neither gives nor takes away a context on another node', async () => {
    const later = await lab.graphql(
      `{ there: context(name: "later", destinationNode: "r2") { id nodeName counterGroups { id } }
        here: context(name: "later", fromDr: true) { nodeName }
        other: context(name: "later", destinationNode: "none") { nodeName }
        viewer { contexts { name } } }`,
      {},
      { authorization: `Bearer ${ADA.token}`, 'x-username': ADA.username },
    );
    const failed = new Map(later.errors?.map(({ message, path }) => [path?.[0], message]));
    const message = 'Database is not reachable';
    expect(failed).toEqual(new Map(['here', 'other'].map((path) => [path, message])));
    const there = { id: expect.any(String), nodeName: 'r2', counterGroups: [] };
    const viewer = { contexts: [{ name: 'lab' }] };
    expect(later.data).toEqual({ there, here: null, other: null, viewer });
    const found = await lab.graphql(
      'query ($id: ID!) { node(id: $id) { ...on Context { name } } }',
      {
        id: (later.data as { there: { id: string } }).there.id,
      },
    );
    expect(found.data).toEqual({ node: { name: 'later' } });
  });

  it('ends no subscription of a user whom it does not know', async () => {
    await replay(r2, 'resume');
    expect(await there.answer()).toEqual(total(11));
  });

  it('is believed that a token is wrong if no node knows better', async () => {
    killServer(r2);
    expect((await graph('fromDr: true')).status).toBe(401);
    for (const stream of [here, there]) {
      expect(stream.messages.map((message) => message.event)).not.toContain('complete');
    }
  });

  it('is passed over when it is stopped, as is a node without tables', async () => {
    await dr0.stop();
    expect(await graph('destinationNode: "r2"')).toMatchObject({
      status: 500,
      errors: [{ message: 'Database is not reachable' }],
    });
    await r2.startAgain();
    expect(await graph('destinationNode: "r2"')).toMatchObject(isAt('r2'));
  });
});
