import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { revokeGrant } from '../../../access/users.ts';
import { encodeGlobalId, encodePath } from '../../../schema/global-id.ts';
import { fireAlerts } from '../../support/lab/fire-alerts.ts';
import { group, guidOf, startLab, T0 } from '../../support/lab/lab.ts';
import {
  ADA,
  basic,
  CONTEXT,
  type Credentials,
  type TestService,
} from '../../support/lab/service.ts';

const [TEXTS, PAIRS, SECRET] = [1, 2, 3].map(guidOf) as [string, string, string];
const BOB: Credentials = { username: 'bob', token: 'bob-token' };

const KEYS = ['plain', 'with / and : and \\', 'naïve 日本 \u{1F600}', '0', '..', '%00', '{"a":1}'];

let lab: TestService;

beforeAll(async () => {
  lab = await startLab({
    groups: [
      group(1),
      group(2, { key_kind: 'crosskey', crosskey: { parentguid: TEXTS, crosskeyguid_1: TEXTS } }),
    ],
    declaration: { pools: [{ name: 'oper' }, { name: 'a/b: ü' }] },
    lines: [
      ...KEYS.map((key) => ({ group: TEXTS, key, ts: T0, values: { 0: 1 } })),
      { group: PAIRS, key: 'plain\\a\\\\b', ts: T0, values: { 0: 1 } },
    ],
  });
  await lab.importSamples([{ group: TEXTS, key: 'x', ts: T0, values: { 0: 1 } }], { engine: 3 });
  const secret = 'a context / with : signs';
  await lab.apply({ context: secret, groups: [group(3)], pools: [{ name: 'p' }] });
  const lines = [{ group: SECRET, key: 'hidden', ts: T0, values: { 0: 1 } }];
  await lab.importSamples(lines, { context: secret });
  const rule = { name: 'a rule / of : signs', when: { key_above: 1 } };
  await lab.apply({ context: secret, alerts: [{ ...rule, group: SECRET }] });
  await lab.apply({ context: CONTEXT, alerts: [{ ...rule, group: TEXTS }] });
  await fireAlerts(lab, { context: secret, startedAt: T0, key: 'hidden', value: 2 });
  await fireAlerts(lab, { context: CONTEXT, startedAt: T0, key: 'plain', value: 2 });
  await lab.addUser(BOB, [CONTEXT, secret]);
});

afterAll(() => lab.close());

/** The fields of each type of node, whether it is reached by its path or by its id. */
const FRAGMENTS = `fragment all on Node {
  __typename id
  ... on Context { name nodeName }
  ... on Slice { sliceId slice: name engine path timeInterval { from to } }
  ... on Pool { pool: name }
  ... on CounterGroup { guid group: name }
  ... on Meter { index meter: name counterGroup { guid } }
  ... on Key { key readable counterGroup { guid } }
  ... on Alert { rule: name severity counterGroup { guid } }
  ... on AlertEvent { startedAt value alert { id } }
}`;

type Found = { readonly __typename: string; readonly id: string };

/** Every node that a user reaches. */
async function allNodes(credentials: Credentials): Promise<Found[]> {
  const { contexts } = await lab.data<{
    contexts: (Found & {
      slices: Found[];
      pools: Found[];
      counterGroups: (Found & { meters: Found[]; keys: { edges: { node: Found }[] } })[];
      alerts: Found[];
      alertEvents: { edges: { node: Found }[] };
    })[];
  }>(
    `{ contexts { ...all slices(allEngines: true) { ...all } pools { ...all } counterGroups {
      ...all meters { ...all } keys { edges { node { ...all } } } }
      alerts { ...all } alertEvents { edges { node { ...all } } } } } ${FRAGMENTS}`,
    {},
    credentials,
  );
  return contexts.flatMap(({ slices, pools, counterGroups, alerts, alertEvents, ...context }) => [
    ...alerts,
    ...alertEvents.edges.map(({ node }) => node),
    context,
    ...slices,
    ...pools,
    ...counterGroups.flatMap(({ meters, keys, ...found }) => [
      found,
      ...meters,
      ...keys.edges.map(({ node }) => node),
    ]),
  ]);
}

const nodes = async (ids: readonly string[], credentials = ADA) =>
  (
    await lab.data<{ nodes: (Found | null)[] }>(
      `query ($ids: [ID!]!) { nodes(ids: $ids) { ...all } } ${FRAGMENTS}`,
      { ids },
      credentials,
    )
  ).nodes;

describe('the id of a node', () => {
  it('leads back to it, for every type', async () => {
    const all = await allNodes(BOB);
    expect(new Set(all.map(({ __typename }) => __typename))).toEqual(
      new Set(['Context', 'Slice', 'Pool', 'CounterGroup', 'Meter', 'Key', 'Alert', 'AlertEvent']),
    );
    expect(all.length).toBeGreaterThan(20);
    expect(
      await nodes(
        all.map(({ id }) => id),
        BOB,
      ),
    ).toEqual(all);
    for (const each of all) {
      const query = `query ($id: ID!) { node(id: $id) { ...all } } ${FRAGMENTS}`;
      expect(await lab.data(query, { id: each.id }, BOB)).toEqual({ node: each });
    }
  });

  it('is different for every node, and the same in every request', async () => {
    const ids = (await allNodes(BOB)).map(({ id }) => id);
    expect(new Set(ids).size).toBe(ids.length);
    expect((await allNodes(BOB)).map(({ id }) => id)).toEqual(ids);
  });

  it('is the same however the node is reached', async () => {
    const { context } = await lab.data<{ context: Record<string, Found & { meter: Found }> }>(
      `{ context(name: "lab") { id counterGroup(guid: "${TEXTS}") { id meter(index: 0) {
        id counterGroup { id } } key(key: "plain") { id counterGroup { id } }
        topper(window: { recentSeconds: 60 }) { counterGroup { id } meter { id } } } } }`,
    );
    const ids = JSON.stringify(context).match(/"id":"[^"]+"/g) ?? [];
    expect(ids).toHaveLength(8);
    expect(new Set(ids).size).toBe(4);
  });

  it('finds nodes in the order of the ids, repeated ones included', async () => {
    const ids = (await allNodes(ADA)).map(({ id }) => id);
    const asked = [...ids.toReversed(), 'nonsense', ...ids];
    expect((await nodes(asked)).map((found) => found?.id ?? 'nonsense')).toEqual(asked);
    expect(await nodes([])).toEqual([]);
  });
});

describe('an id that leads nowhere', () => {
  const encoded = (text: string): string => Buffer.from(text).toString('base64');

  it.each([
    '',
    'nonsense',
    '%',
    '\0',
    'é',
    encoded(''),
    encoded('Context'),
    encoded('Context:'),
    encoded('Context:nowhere'),
    encoded('Nonsense:lab'),
    encoded('Topper:lab'),
    encoded(':'),
    encoded('Key:["lab"]'),
    encoded('Context:["__proto__"]'),
    encoded('__proto__:lab'),
    encoded('Slice:["lab","primary",99999999999999999999]'),
    'x'.repeat(5000),
  ])('is null without an error: %s', async (id) => {
    expect(await nodes([id])).toEqual([null]);
    expect(await lab.data('query ($id: ID!) { node(id: $id) { id } }', { id })).toEqual({
      node: null,
    });
  });

  it('is null, even if it is a valid one that was cut or changed', async () => {
    for (const { id, __typename } of await allNodes(ADA)) {
      for (const changed of [id.slice(0, -4), `${id}AAAA`, id.slice(4), `AAAA${id}`]) {
        const [found] = await nodes([changed]);
        // An id with part of its key's text cut off may be the id of another key.
        expect(found === null || (found?.__typename === __typename && found.id === changed)).toBe(
          true,
        );
      }
    }
  });
});

describe('the id of a node on a database that cannot be reached', () => {
  it('is an error, and those beside it are answered', async () => {
    const url = 'postgres://nobody:secret@127.0.0.1:1/none';
    await lab.apply({ context: CONTEXT, nodes: [{ name: 'gone', role: 'replica', url }] });
    const guid = TEXTS.slice(1, -1);
    const paths: Readonly<Record<string, readonly (string | number)[]>> = {
      CounterGroup: [guid],
      Meter: [guid, 0],
      Key: [guid, 'plain'],
      Slice: [1],
      Pool: ['oper'],
      Alert: ['00000000-0000-4000-8000-000000000000'],
      AlertEvent: ['00000000-0000-4000-8000-000000000000'],
    };
    const idsOn = (nodeName: string) =>
      Object.entries(paths).map(([typename, rest]) =>
        encodeGlobalId(typename, encodePath({ name: CONTEXT, nodeName }, ...rest)),
      );
    const [here = ''] = idsOn('primary');
    const ids = [here, ...idsOn('gone'), here];
    const query = 'query ($ids: [ID!]!) { nodes(ids: $ids) { id } }';
    const { status, data, errors = [] } = await lab.graphql(query, { ids });
    const gone = Object.keys(paths).map(() => null);
    expect([status, data]).toEqual([200, { nodes: [{ id: here }, ...gone, { id: here }] }]);
    expect(errors.map(({ path }) => path?.[1])).toEqual(gone.map((_, i) => i + 1));
    await lab.apply({ context: CONTEXT, nodes: [] });
  });
});

describe('the id of a node that is not granted', () => {
  it('is null, though another user reaches the node by the same id', async () => {
    const granted = new Set((await allNodes(ADA)).map(({ id }) => id));
    const hidden = (await allNodes(BOB)).filter(({ id }) => !granted.has(id));
    expect(new Set(hidden.map(({ __typename }) => __typename)).size).toBe(8);
    const ids = hidden.map(({ id }) => id);
    expect(await nodes(ids, BOB)).toEqual(hidden);
    expect(await nodes(ids, ADA)).toEqual(ids.map(() => null));
  });

  it('is null from the first request after the grant is revoked', async () => {
    const ids = (await allNodes(ADA)).map(({ id }) => id);
    expect(await nodes(ids, BOB)).not.toContain(null);
    await lab.write((connection) =>
      revokeGrant(connection, { name: BOB.username, context: CONTEXT }),
    );
    expect(await nodes(ids, BOB)).toEqual(ids.map(() => null));
    expect(await nodes(ids, ADA)).not.toContain(null);
  });

  it('is 401 without valid credentials', async () => {
    const [first] = await allNodes(ADA);
    const query = 'query ($id: ID!) { node(id: $id) { id } }';
    const variables = { id: first?.id };
    expect((await lab.graphql(query, variables, {})).status).toBe(401);
    const wrong = basic({ ...ADA, token: 'wrong' });
    expect((await lab.graphql(query, variables, wrong)).status).toBe(401);
  });
});
