import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { removeUser, revokeGrant } from '../../../access/users.ts';
import { rotateToken } from '../../support/database/rotate-token.ts';
import { group, guidOf, startLab, T0 } from '../../support/lab/lab.ts';
import {
  ADA,
  basic,
  CONTEXT,
  type Credentials,
  ENDPOINT_NAMES,
  type TestService,
} from '../../support/lab/service.ts';

const GROUP = guidOf(1);
const BOB: Credentials = { username: 'bob', token: 'bob-token' };

let lab: TestService;

beforeEach(async () => {
  lab = await startLab({
    groups: [group(1)],
    declaration: { pools: [{ name: 'oper' }] },
    lines: [{ group: GROUP, key: 'k', ts: T0, values: { 0: 1 }, label: 'secret label' }],
  });
  await lab.apply({ context: 'other', groups: [group(2)] });
  await lab.addUser(BOB, [CONTEXT, 'other']);
});

afterEach(() => lab.close());

const EVERYTHING = `{ context(name: "${CONTEXT}") { id slices { id } pools { id }
  counterGroup(guid: "${GROUP}") { id meters { id } keys { edges { node { id label } } }
    topper(window: { startingAt: { from: ${T0}, seconds: 60 } }) { total keys { label } } } } }`;

const NODES = 'query ($ids: [ID!]!) { nodes(ids: $ids) { id } }';

const graphql = (query: string, variables = {}, credentials = BOB) =>
  lab.graphql(query, variables, basic(credentials));

/** The ids that the user gets before the change, one of each type. */
async function idsBefore(): Promise<string[]> {
  const { text, errors } = await graphql(EVERYTHING);
  expect(errors).toBeUndefined();
  expect(text).toContain('secret label');
  const ids = [...text.matchAll(/"id":"([^"]+)"/g)].map(([, id = '']) => id);
  expect(ids).toHaveLength(6);
  expect((await graphql(NODES, { ids })).data).toEqual({ nodes: ids.map((id) => ({ id })) });
  return ids;
}

const restOf = ({ username, token }: Credentials) =>
  Promise.all(
    ENDPOINT_NAMES.map(async (endpoint) => {
      const { status, text } = await lab.rest(endpoint, {
        username,
        api_token: token,
        counter_group: GROUP,
        window_fromts: T0,
        window_seconds: 60,
        get_key_attributes: true,
        resolve_keys: true,
      });
      return { status, text };
    }),
  );

describe('a grant that is revoked', () => {
  it('stops working with the next request, and so do ids obtained before', async () => {
    const ids = await idsBefore();
    expect((await restOf(BOB)).map(({ status }) => status)).toEqual([200, 200, 200]);
    await lab.write((connection) =>
      revokeGrant(connection, { name: BOB.username, context: CONTEXT }),
    );
    expect(JSON.parse((await graphql(EVERYTHING)).text)).toEqual({ data: { context: null } });
    expect((await graphql(NODES, { ids })).data).toEqual({ nodes: ids.map(() => null) });
    expect((await graphql('{ contexts { name } }')).data).toEqual({
      contexts: [{ name: 'other' }],
    });
    for (const { status, text } of await restOf(BOB)) {
      expect(status).toBe(403);
      expect(JSON.parse(text)).toEqual({
        status: 'ERROR',
        message: `User ${BOB.username} is not allowed to access context ${CONTEXT}`,
      });
    }
    // Another user keeps the grant, and is answered from the cache.
    expect((await graphql(EVERYTHING, {}, ADA)).text).toContain('secret label');
    await lab.grant(BOB, [CONTEXT]);
    expect((await graphql(NODES, { ids })).data).toEqual({ nodes: ids.map((id) => ({ id })) });
    expect((await restOf(BOB)).map(({ status }) => status)).toEqual([200, 200, 200]);
  });
});

describe('a token that is rotated', () => {
  it('is refused from the next request on, and the new one works everywhere', async () => {
    const ids = await idsBefore();
    const token = await lab.write((connection) => rotateToken(connection, BOB.username));
    for (const query of [EVERYTHING, '{ __typename }']) {
      const { status, text } = await graphql(query);
      expect(status).toBe(401);
      expect(text).not.toContain('"data"');
    }
    expect((await graphql(NODES, { ids })).status).toBe(401);
    expect((await restOf(BOB)).map(({ status }) => status)).toEqual([401, 401, 401]);
    const renewed = { ...BOB, token };
    expect((await graphql(EVERYTHING, {}, renewed)).text).toContain('secret label');
    expect((await graphql(NODES, { ids }, renewed)).data).toEqual({
      nodes: ids.map((id) => ({ id })),
    });
    expect((await restOf(renewed)).map(({ status }) => status)).toEqual([200, 200, 200]);
  });
});

describe('a user who is removed', () => {
  it('is refused from the next request on', async () => {
    const ids = await idsBefore();
    await lab.write((connection) => removeUser(connection, BOB.username));
    expect((await graphql(NODES, { ids })).status).toBe(401);
    expect((await restOf(BOB)).map(({ status }) => status)).toEqual([401, 401, 401]);
  });
});

describe('an unknown user and a wrong token (decision 10)', () => {
  const WRONG: readonly (readonly [string, Credentials])[] = [
    ['an unknown user', { username: 'nobody', token: BOB.token }],
    ['a wrong token', { ...BOB, token: 'wrong' }],
    ['a wrong token of the right length', { ...BOB, token: 'bob-tokem' }],
    ['a wrong token of a user without grants', { username: 'sam', token: 'wrong' }],
    ['the token of another', { ...BOB, token: ADA.token }],
    ['a user without a token', { username: 'tim', token: '' }],
  ];

  /** The statements that a request causes, and its answer without what differs each time. */
  async function trace(ask: () => Promise<{ status: number; text: string; headers: object }>) {
    const statements = lab.watchStatements();
    const { status, text, headers } = await ask();
    const shown = Object.entries(headers).filter(([name]) => !/^(date|x-request-id)$/.test(name));
    // A statement carries the id of its request.
    const sent = statements().map((each) => each.replace(/'countergraph [0-9a-f-]{36}'/, 'ID'));
    return { statements: sent, status, text, headers: shown };
  }

  it.each([['warm'], ['cold']])(
    'take the same path and get the same answer, with %s caches',
    async (state) => {
      await lab.addUser({ username: 'sam', token: 'sam-token' }, []);
      await lab.sql("insert into users (username) values ('tim')");
      if (state === 'warm') await idsBefore();
      const ways: ((credentials: Credentials) => ReturnType<typeof lab.call>)[] = [
        (credentials) => graphql(EVERYTHING, {}, credentials),
        (credentials) => graphql('{ __typename }', {}, credentials),
        ...ENDPOINT_NAMES.map(
          (endpoint) => (credentials: Credentials) =>
            lab.rest(endpoint, {
              username: credentials.username,
              api_token: credentials.token || 'x',
              counter_group: GROUP,
              context: CONTEXT,
            }),
        ),
      ];
      for (const ask of ways) {
        const traces = [];
        for (const [name, credentials] of WRONG) {
          if (state === 'cold') lab.emptyCaches();
          traces.push([name, await trace(() => ask(credentials))] as const);
        }
        const [first] = traces;
        expect(first?.[1].status).toBe(401);
        expect(first?.[1].statements.join('\n')).toContain('join users');
        for (const [name, traced] of traces) expect([name, traced]).toEqual([name, first?.[1]]);
      }
    },
  );
});
