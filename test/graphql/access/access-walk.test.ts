import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { addUser } from '../../../access/users.ts';
import { schema } from '../../../schema/schema.ts';
import { fireAlerts } from '../../support/lab/fire-alerts.ts';
import { group, guidOf, startLab, T0 } from '../../support/lab/lab.ts';
import { basic, type Credentials, type TestService } from '../../support/lab/service.ts';
import {
  alertOf,
  argumentsFor,
  fillBoth,
  HOSTS,
  type Names,
  named,
  OPEN,
  PAIRS,
  SHARED,
  sinkOf,
  THEN,
  VAULT,
  vaultLines,
} from '../../support/lab/vault.ts';
import {
  objectTypes,
  reaches,
  valuesIn,
  type Walked,
  walk,
} from '../../support/random/schema-walk.ts';

const OWNER: Credentials = { username: 'olga', token: 'olga-token' };
const NEIGHBOUR: Credentials = { username: 'eve', token: 'eve-token' };
const STRANGER: Credentials = { username: 'sam', token: 'sam-token' };

let lab: TestService;
/** What nobody but the owner may learn. */
let told: ReadonlySet<string>;

beforeAll(async () => {
  lab = await startLab({ groups: [group(99)] });
  const vaultParts = { parentguid: guidOf(HOSTS), crosskeyguid_1: guidOf(HOSTS) };
  await lab.apply({
    context: VAULT,
    groups: [
      ...[HOSTS, SHARED].map((n) =>
        group(n, {
          name: `vault group ${n}`,
          sampling_rate: 7,
          bucket_size: 60,
          meters: [named('vault', 0, 2)],
        }),
      ),
      group(PAIRS, {
        name: 'vault pairs',
        key_kind: 'crosskey',
        meters: [named('vault pair', 0, 2)],
        crosskey: { ...vaultParts, crosskeyguid_2: guidOf(HOSTS) },
      }),
    ],
    nodes: [{ name: 'vault-node', role: 'replica', url: lab.databaseUrl }],
    pools: [{ name: 'vault-pool', path: '/vault/pool' }],
    probes: [{ id: 'vault-probe', description: 'vault probe' }],
    alerts: [alertOf(HOSTS, 'vault')],
    notify: [sinkOf('vault')],
  });
  await lab.apply({
    context: OPEN,
    groups: [
      group(SHARED, { name: 'open group', meters: [named('open', 0, 2)] }),
      group(3, {
        name: 'open pairs',
        key_kind: 'crosskey',
        meters: [named('open pair', 0, 2)],
        crosskey: {
          parentguid: guidOf(SHARED),
          crosskeyguid_1: guidOf(SHARED),
          crosskeyguid_2: guidOf(SHARED),
        },
      }),
    ],
    nodes: [{ name: 'open-node', role: 'replica', url: lab.databaseUrl }],
    pools: [{ name: 'open-pool', path: '/open/pool' }],
    probes: [{ id: 'open-probe' }],
    alerts: [alertOf(SHARED, 'open')],
    notify: [sinkOf('open')],
  });
  await lab.importSamples(vaultLines, { context: VAULT });
  // The same keys without a label: any label found for them would come from the vault.
  await lab.importSamples(
    [
      { group: guidOf(SHARED), key: 'vault-alpha', ts: T0, values: { 0: 1 }, probe: 'open-probe' },
      { group: guidOf(SHARED), key: 'mine', ts: T0, values: { 0: 2 }, attributes: { a: 'b' } },
      { group: guidOf(SHARED), key: 'mine', ts: T0 + 300, values: { 0: 2 } },
      { group: guidOf(3), key: 'vault-alpha\\mine\\mine', ts: T0, values: { 0: 3 } },
    ],
    { context: OPEN },
  );
  await fireAlerts(lab, { context: VAULT, startedAt: THEN, key: 'vault-alpha', value: 57_001 });
  await fireAlerts(lab, { context: OPEN, startedAt: T0, key: 'mine', value: 1 });
  await lab.addUser(OWNER, [VAULT]);
  await lab.addUser(NEIGHBOUR, [OPEN]);
  await lab.addUser(STRANGER, []);
  for (const [{ username: name }, context] of [
    [OWNER, VAULT],
    [NEIGHBOUR, OPEN],
  ] as const) {
    await lab.write((to) => addUser(to, { name, contexts: [context], role: 'editor' }));
  }
  await fillBoth(lab);
  told = await findSecrets();
});

afterAll(() => lab.close());

const OF_VAULT: Names = {
  context: VAULT,
  at: THEN,
  hosts: guidOf(HOSTS),
  pairs: guidOf(PAIRS),
  key: 'vault-alpha',
  probe: 'vault-probe',
};

const OF_OPEN: Names = {
  context: OPEN,
  at: T0,
  hosts: guidOf(SHARED),
  pairs: guidOf(3),
  key: 'mine',
  probe: 'open-probe',
};

/** A few dozen fields each: a document with all of them would exceed the limit of tokens. */
function chunks(walked: readonly Walked[]): Walked[][] {
  const size = 30;
  return Array.from({ length: Math.ceil(walked.length / size) }, (_, i) =>
    walked.slice(i * size, (i + 1) * size),
  );
}

const textOf = (chunk: readonly Walked[]): string =>
  chunk.map(({ selection }) => selection).join('\n');

const walkFrom = (type: string, names: Names): Walked[] => {
  const asked = walk(schema, type, argumentsFor(names));
  // `nodeDocuments` walks `node` and `nodes`, from each type and by id. The others are for
  // administrators: test/graphql/access/administrators.test.ts.
  const elsewhere = ['node', 'nodes', 'users', 'audit'];
  return asked.filter(({ path }) => !elsewhere.includes(path[0] ?? ''));
};

/** Everything below the root: first with the hosts, then with the cross-key group instead. */
const documentsOf = (names: Names): string[] =>
  [names, { ...names, hosts: names.pairs }].flatMap((each) =>
    chunks(walkFrom('Query', each)).map((chunk) => `{ ${textOf(chunk)} }`),
  );

/** Everything below the node whose id is the variable. */
const nodeDocuments = (type: string, names: Names): string[] =>
  chunks(walkFrom(type, names)).map(
    (chunk) =>
      `query ($id: ID!) { node(id: $id) { __typename ... on ${type} { ${textOf(chunk)} } } }`,
  );

const NODE_TYPES = [
  'Context',
  'Slice',
  'Pool',
  'CounterGroup',
  'Meter',
  'Key',
  'Alert',
  'AlertEvent',
] as const;

/** The values that the owner finds in the vault and that are not in the open context too. */
async function findSecrets(): Promise<ReadonlySet<string>> {
  const open = new Set<string>();
  for (const query of documentsOf(OF_OPEN)) {
    const { data } = await lab.graphql(query, {}, basic(NEIGHBOUR));
    for (const [, value] of valuesIn(data)) open.add(value);
  }
  const secrets = new Set<string>();
  for (const query of documentsOf(OF_VAULT)) {
    const { data } = await lab.graphql(query, {}, basic(OWNER));
    for (const [name, value] of valuesIn(data)) {
      // Type names, and short values that any answer may hold by chance, give nothing away.
      if (name === '__typename' || value.length < 4 || open.has(value)) continue;
      secrets.add(value);
    }
  }
  return secrets;
}

/** The secrets that are in the answer but were not in the question. */
const leaks = (answer: string, question: string): string[] =>
  [...told].filter((secret) => {
    const quoted = JSON.stringify(secret).slice(1, -1);
    return answer.includes(quoted) && !question.includes(quoted) && !question.includes(secret);
  });

type Id = { readonly type: string; readonly id: string };

/** The ids of everything a user reaches in a context, on its primary and on another node. */
async function idsOf(credentials: Credentials, names: Names, node: string): Promise<Id[]> {
  const ids = new Map<string, string>();
  for (const destination of [null, node]) {
    const { context } = await lab.data<{ context: unknown }>(
      `query ($name: String!, $node: String) { context(name: $name, destinationNode: $node) {
        __typename id slices { __typename id } pools { __typename id } counterGroups { __typename id
        meters { __typename id } keys { edges { node { __typename id } } } } alerts { __typename id }
        alertEvents { edges { node { __typename id } } } } }`,
      { name: names.context, node: destination },
      credentials,
    );
    const collect = (value: unknown): void => {
      if (typeof value !== 'object' || value === null) return;
      if ('id' in value && '__typename' in value)
        ids.set(String(value.id), String(value.__typename));
      Object.values(value).forEach(collect);
    };
    collect(context);
  }
  return [...ids].map(([id, type]) => ({ id, type }));
}

describe('the walk', () => {
  it('asks for every field of every type of the schema', () => {
    const walked = new Set(walk(schema, 'Query', argumentsFor(OF_VAULT)).map(({ field }) => field));
    // Subscriptions and mutations return the same types, but for a new token; test/server/subscriptions
    // and test/changes check who may use them.
    const others = ['Subscription', 'Mutation', 'NewToken'];
    const asked = objectTypes(schema).filter(({ name }) => !others.includes(name));
    const all = asked.flatMap(({ name }) =>
      Object.keys(fieldsOf(name)).map((field) => `${name}.${field}`),
    );
    expect(all.filter((field) => !walked.has(field))).toEqual([]);
    expect(all.length).toBeGreaterThan(100);
  });

  it('has arguments only for fields that exist', () => {
    const stale = Object.keys(argumentsFor(OF_VAULT)).filter((name) => {
      const [type = '', field = ''] = name.split('.');
      return !fieldsOf(type)[field];
    });
    expect(stale).toEqual([]);
  });

  it.each([
    ['the vault', OWNER, OF_VAULT],
    ['the open context', NEIGHBOUR, OF_OPEN],
  ])('reaches every field of %s for a user who may see it', async (_, credentials, names) => {
    const ofCrosskey = ({ field }: Walked) => field.startsWith('Crosskey.');
    const asked = [
      ...chunks(walkFrom('Query', names).filter((each) => !ofCrosskey(each))),
      ...chunks(walkFrom('Query', { ...names, hosts: names.pairs }).filter(ofCrosskey)),
    ];
    for (const chunk of asked) {
      const { data, errors } = await lab.graphql(`{ ${textOf(chunk)} }`, {}, basic(credentials));
      expect(errors).toBeUndefined();
      const missed = chunk.filter(({ path }) => !reaches(data, path));
      expect(missed.map(({ field }) => field)).toEqual([]);
    }
  });

  it('finds dozens of values that must not leak', () => {
    const some = ['192.0.2.57', 'vault label alpha', 'vault-probe', '/vault/pool', 'vault pair'];
    for (const one of some) {
      expect([...told].join('\n')).toContain(one);
    }
    expect(told.size).toBeGreaterThan(50);
  });
});

function fieldsOf(name: string): Readonly<Record<string, unknown>> {
  const type = schema.getType(name);
  return type && 'getFields' in type ? type.getFields() : {};
}

describe.each([
  ['who has no grant', STRANGER],
  ['who has a grant for another context', NEIGHBOUR],
])('a user %s', (_, credentials) => {
  it('learns nothing by naming the vault and what is in it', async () => {
    for (const query of documentsOf(OF_VAULT)) {
      const { text, data, errors } = await lab.graphql(query, {}, basic(credentials));
      expect(leaks(text, query)).toEqual([]);
      expect((data as { context?: unknown }).context ?? null).toBeNull();
      expect(errors).toBeUndefined();
    }
  });

  it('gets null for every id of the vault, whatever is selected below it', async () => {
    const ids = await idsOf(OWNER, OF_VAULT, 'vault-node');
    expect(new Set(ids.map(({ type }) => type))).toEqual(new Set(NODE_TYPES));
    const all = 'query ($ids: [ID!]!) { nodes(ids: $ids) { __typename id } }';
    const asked = { ids: ids.map(({ id }) => id) };
    expect(await lab.data(all, asked, credentials)).toEqual({ nodes: ids.map(() => null) });
    expect(await lab.data(all, asked, OWNER)).toEqual({
      nodes: ids.map(({ id, type }) => ({ __typename: type, id })),
    });
    for (const { type, id } of firstOfEach(ids)) {
      for (const query of nodeDocuments(type, OF_VAULT)) {
        const { text } = await lab.graphql(query, { id }, basic(credentials));
        expect(JSON.parse(text)).toEqual({ data: { node: null } });
        expect(leaks(text, query)).toEqual([]);
        // The owner gets an answer, so there was something to hide.
        const { data } = await lab.graphql<{ node: object | null }>(query, { id }, basic(OWNER));
        expect(data.node).toMatchObject({ __typename: type });
      }
    }
  });

  it('learns nothing with ids forged from those of the vault', async () => {
    const ids = await idsOf(OWNER, OF_VAULT, 'vault-node');
    const changed = ids.flatMap(({ id }) => {
      const plain = Buffer.from(id, 'base64url').toString();
      const vault = encodeURIComponent(VAULT);
      return [
        plain.replace(vault, OPEN),
        plain.replace(/the%20vault(@vault-node)?/, `${OPEN}@vault-node`),
        plain.replace(vault, `${vault}@primary`),
        plain.replace(vault, `${OPEN}/${vault}`),
      ].map((text) => Buffer.from(text).toString('base64url'));
    });
    const query = `query ($ids: [ID!]!) { nodes(ids: $ids) { __typename ... on Context { name }
      ... on Slice { slice: name } ... on Pool { pool: name mounted } ... on CounterGroup { group: name }
      ... on Meter { meter: name } ... on Key { key label description } } }`;
    const { text, errors } = await lab.graphql(query, { ids: changed }, basic(credentials));
    expect(errors).toBeUndefined();
    expect(leaks(text, JSON.stringify(['vault-alpha']))).toEqual([]);
  });
});

const firstOfEach = (ids: readonly Id[]): Id[] =>
  NODE_TYPES.flatMap((type) => {
    const found = ids.find((each) => each.type === type);
    return found ? [found] : [];
  });

describe('a user with a grant for another context, within that context', () => {
  const MIXED: readonly (readonly [string, Partial<Names>])[] = [
    ['with only its own names', {}],
    ['with a group of the vault', { hosts: OF_VAULT.hosts }],
    ['with a cross-key group of the vault', { pairs: OF_VAULT.pairs }],
    ['with a key of the vault', { key: 'vault-beta' }],
    ['with a probe of the vault', { probe: OF_VAULT.probe }],
    ['in a window of the vault', { at: OF_VAULT.at }],
  ];

  it.each(MIXED)('%s, learns nothing about the vault', async (_, names) => {
    for (const query of documentsOf({ ...OF_OPEN, ...names })) {
      const { text, data } = await lab.graphql(query, {}, basic(NEIGHBOUR));
      expect(data).not.toBeNull();
      // The user chose the window of ten minutes, so its bounds and its neighbours' are not secret.
      const at = names.at ?? OF_OPEN.at;
      expect(leaks(text, `${query} ${at - 600} ${at + 600}`)).toEqual([]);
    }
  });

  it('learns nothing from a node of the vault either', async () => {
    const query = `{ context(name: "${OPEN}", destinationNode: "vault-node") { name nodeName } }`;
    const { text, errors } = await lab.graphql(query, {}, basic(NEIGHBOUR));
    expect(errors).toMatchObject([{ extensions: { code: 'BAD_USER_INPUT' } }]);
    expect(leaks(text, query)).toEqual([]);
  });

  it('gets no label from the vault for a key with the same text', async () => {
    const { context } = await lab.data<{ context: unknown }>(
      `{ context(name: "${OPEN}") { counterGroup(guid: "${guidOf(SHARED)}") {
        key(key: "vault-alpha") { label description attributes { value } } }
        pairs: counterGroup(guid: "${guidOf(3)}") { keys { edges { node { label } } } } } }`,
      {},
      NEIGHBOUR,
    );
    expect(context).toEqual({
      counterGroup: { key: { label: 'vault-alpha', description: null, attributes: [] } },
      pairs: { keys: { edges: [{ node: { label: 'vault-alpha\\mine\\mine' } }] } },
    });
  });
});
