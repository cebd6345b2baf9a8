import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { InMemoryCache } from '@apollo/client';
import type { Exchange } from '@urql/core';
import { cacheExchange } from '@urql/exchange-graphcache';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { projectRoot } from '../../../db/project-root.ts';
import { createDemo, DEMO_NAME } from '../../../ingest/demo/demo.ts';
import { EXAMPLES } from '../../../schema/documents/examples.ts';
import { schema } from '../../../schema/schema.ts';
import { createTestDatabase, type TestDatabase } from '../../support/database/database.ts';
import { type DocModules, docModules } from '../../support/files/doc-modules.ts';
import {
  apolloClient,
  type CachingClient,
  type Server,
  urqlClient,
} from '../../support/http/caching-clients.ts';
import { DAY, group, guidOf, startLab, T0 } from '../../support/lab/lab.ts';
import { ADA, basic, startTestService, type TestService } from '../../support/lab/service.ts';
import { objectTypes } from '../../support/random/schema-walk.ts';

const run = promisify(execFile);

const PAGE = readFileSync(join(projectRoot(), 'docs/how-to/cache-in-a-frontend.md'), 'utf8');
const COMPILER = join(projectRoot(), 'node_modules', 'typescript', 'bin', 'tsc');
const GROUP = guidOf(1);

let modules: DocModules;
let demoDatabase: TestDatabase;
let demo: TestService;
let lab: TestService;

beforeAll(async () => {
  modules = await docModules(PAGE);
  demoDatabase = await createTestDatabase();
  await createDemo({ databaseUrl: demoDatabase.url, now: () => Math.floor(Date.now() / 1000) });
  demo = await startTestService({ databaseUrl: demoDatabase.url });
}, 120_000);

afterAll(async () => {
  await demo?.close();
  await demoDatabase?.drop();
  await modules?.remove();
});

/** Makes four keys for the tests of one client; the last of these tests adds a key. */
function useLab(): void {
  beforeAll(async () => {
    const keys = ['a', 'b', 'c', 'd'];
    lab = await startLab({
      groups: [group(1)],
      lines: keys.flatMap((key, i) =>
        [0, 300].map((at) => ({
          group: GROUP,
          key,
          ts: T0 + at,
          values: { 0: 10 * (i + 1) },
          label: `label of ${key}`,
          attributes: { name: key, room: `${key}1` },
        })),
      ),
    });
  });

  afterAll(() => lab?.close());
}

const complaints: string[] = [];

beforeEach(() => {
  complaints.length = 0;
  for (const method of ['warn', 'error'] as const) {
    vi.spyOn(console, method).mockImplementation((...told) => {
      complaints.push(told.map(String).join(' '));
    });
  }
});

afterEach(() => {
  vi.restoreAllMocks();
});

const serverOf = (service: TestService, username = ADA.username, token = ADA.token): Server => ({
  url: `${service.url}/graphql`,
  headers: basic({ username, token }),
});

const CLIENTS: readonly [string, (server: Server) => Promise<CachingClient>][] = [
  [
    'Apollo Client',
    async (server) => {
      const { cache } = await modules.load('apollo-cache.ts');
      return apolloClient(server, cache as InMemoryCache);
    },
  ],
  [
    'urql',
    async (server) => {
      const { cache } = await modules.load('urql-cache.ts');
      return urqlClient(server, cache as Exchange);
    },
  ],
];

/** The topper of all four keys, in a window that includes the later key. */
const topper = (selection: string, { ids = true } = {}): string => {
  const id = ids ? 'id' : '';
  return `{ context(name: "lab") { ${id} counterGroup(guid: "${GROUP}") { ${id}
    topper(window: { interval: { from: ${T0}, to: ${T0 + DAY} } }) { ${selection} } } } }`;
};

const keyList = (filter: string, selection: string): string =>
  `{ context(name: "lab") { id
    counterGroup(guid: "${GROUP}") { id keys${filter && `(${filter})`} { ${selection} } } } }`;

/** Each query selects one half of the fields of every object without an id. */
const HALVES = [
  `total window { from } availableWindow { to } meter { id name }
   series { at total } flatSeries { at key value }
   keys { rank key metric share keyNode { id key } percentiles(ranks: [50, 95]) { rank value }
     previous { metric window { from } } attributes { name } series { at value } }`,
  `others keyCount window { to seconds } availableWindow { from } meter { id units }
   series { at others } flatSeries { at key label averageRate }
   keys { key label volume keyNode { id label } percentiles(ranks: [50, 95]) { rank }
     previous { changeRatio window { to } } attributes { value name } series { at } }`,
] as const;

describe.each(CLIENTS)('the configuration for %s', (_, open) => {
  useLab();

  /** The answer of the server, without a cache. */
  const truth = (document: string) => lab.data(document);

  const [first, second] = HALVES.map((half) => topper(half)) as [string, string];

  it('loses nothing from two queries that select different fields of a topper', async () => {
    const client = await open(serverOf(lab));
    expect(await client.ask(first)).toEqual(await truth(first));
    expect(await client.ask(second)).toEqual(await truth(second));
    for (const document of [first, second]) {
      expect(await client.known(document)).toEqual(await truth(document));
      expect(await client.ask(document)).toEqual(await truth(document));
    }
    expect(client.asked()).toBe(2);
    expect(complaints).toEqual([]);
  });

  it('knows a key from a topper wherever it is queried', async () => {
    const client = await open(serverOf(lab));
    const listed = await client.ask(topper('keys { key keyNode { id key readable label } }'));
    const [found] = keysOf(listed);
    const node = `{ node(id: "${found?.keyNode?.id}") { id ... on Key { key readable label } } }`;
    expect(await client.ask(node)).toEqual({ node: found?.keyNode });
    expect(complaints).toEqual([]);
  });

  it('joins the pages of keys to one list', async () => {
    const client = await open(serverOf(lab));
    const page = (after: string | null) => `{ context(name: "lab") { id
      counterGroup(guid: "${GROUP}") { id keys(first: 2, after: ${JSON.stringify(after)}) {
        totalCount edges { cursor node { id key } } pageInfo { hasNextPage endCursor } } } } }`;
    type Pages = {
      context: {
        counterGroup: {
          keys: { edges: { node: { key: string } }[]; pageInfo: { endCursor: string } };
        };
      };
    };
    const pages = (data: unknown) => (data as Pages).context.counterGroup.keys;
    const { pageInfo } = pages(await client.ask(page(null)));
    const { edges } = pages(await client.refetch(page(pageInfo.endCursor)));
    expect(edges.map(({ node }) => node.key)).toEqual(['a', 'b', 'c', 'd']);
    expect(complaints).toEqual([]);
  });

  it('keeps apart the keys of different filters', async () => {
    const client = await open(serverOf(lab));
    const filters = [
      '',
      'search: "label of a"',
      'match: "^[bc]$"',
      `window: { interval: { from: ${T0}, to: ${T0 + 60} } }, search: "label of b"`,
    ];
    for (const filter of [...filters, ...filters]) {
      const document = keyList(filter, 'edges { node { id key } } pageInfo { hasNextPage }');
      expect(await client.ask(document)).toEqual(await truth(document));
    }
    expect(client.asked()).toBe(filters.length);
  });

  it('does not take the keys for none after a query of their number alone', async () => {
    const client = await open(serverOf(lab));
    for (const search of ['label', 'none']) {
      const number = keyList(`search: "${search}"`, 'totalCount');
      const list = keyList(`search: "${search}"`, 'edges { node { id key } }');
      for (const document of [number, list, number, list]) {
        expect(await client.ask(document)).toEqual(await truth(document));
      }
    }
    expect(client.asked()).toBe(4);
    expect(complaints).toEqual([]);
  });

  it('keeps the answers to all examples of the explorer', async () => {
    const client = await open(serverOf(demo, DEMO_NAME, DEMO_NAME));
    const documents = EXAMPLES.map(filledIn);
    const answers = [];
    for (const document of documents) answers.push(await client.ask(document));
    for (const [i, document] of documents.entries()) {
      expect([EXAMPLES[i]?.title, await client.known(document)]).toEqual([
        EXAMPLES[i]?.title,
        answers[i],
      ]);
    }
    expect(client.asked()).toBe(documents.length);
    expect(complaints).toEqual([]);
  });

  it('never mixes up the fields of two keys', async () => {
    const client = await open(serverOf(lab));
    await client.ask(first);
    await client.ask(second);
    await lab.importSamples([
      { group: GROUP, key: 'a', ts: T0 + 600, values: { 0: 1000 } },
      { group: GROUP, key: 'new', ts: T0 + 600, values: { 0: 500 }, label: 'label of new' },
    ]);
    expect(await client.refetch(first)).toEqual(await truth(first));
    expect(await client.known(first)).toEqual(await truth(first));
    // The cache has dropped the answer, or has the right labels.
    for (const { key, label } of keysOf(await client.known(second))) {
      expect(label).toBe(`label of ${key}`);
    }
    expect(await client.refetch(second)).toEqual(await truth(second));
    for (const document of [first, second]) {
      expect(await client.known(document)).toEqual(await truth(document));
    }
    expect(complaints).toEqual([]);
  });
});

describe('the configuration for Apollo Client', () => {
  useLab();

  it('loses nothing even if queries do not select ids', async () => {
    const { cache } = await modules.load('apollo-cache.ts');
    const client = apolloClient(serverOf(lab), cache as InMemoryCache);
    const documents = [
      ...HALVES.map((half) => topper(half, { ids: false })),
      topper('total keys { key rank }', { ids: false }),
    ];
    const answers = [];
    for (const document of documents) answers.push(await client.ask(document));
    for (const [i, document] of documents.entries()) {
      expect(await client.known(document)).toEqual(answers[i]);
    }
    expect(complaints).toEqual([]);
  });
});

describe('the configuration for urql', () => {
  it('names all types that have no id, and no others', () => {
    const [, keys = ''] = /^ {2}keys: \{\n([\s\S]*?)^ {2}\},$/m.exec(PAGE) ?? [];
    const named = [...keys.matchAll(/^ {4}(\w+): noId,$/gm)].map(([, name]) => name);
    // Graphcache knows the types of connections itself.
    const own = objectTypes(schema).filter(
      ({ name }) => !/(Connection|Edge|^PageInfo)$/.test(name),
    );
    const without = own.filter((type) => !('id' in type.getFields()) && !isRoot(type.name));
    expect(named).toEqual(without.map(({ name }) => name).toSorted());
  });
});

const isRoot = (name: string): boolean =>
  [schema.getQueryType(), schema.getMutationType(), schema.getSubscriptionType()].some(
    (root) => root?.name === name,
  );

it('the code of the page is strict TypeScript', async () => {
  const config = { ...(await readConfig()), include: ['*.ts'] };
  await writeFile(join(modules.folder, 'tsconfig.json'), JSON.stringify(config));
  await run(process.execPath, [COMPILER, '-p', modules.folder]);
});

async function readConfig() {
  const { compilerOptions } = JSON.parse(
    readFileSync(join(projectRoot(), 'tsconfig.json'), 'utf8'),
  );
  return { compilerOptions: { ...compilerOptions, lib: ['es2023', 'dom', 'dom.iterable'] } };
}

type Listed = { key: string; label?: string; keyNode?: { id: string } };

const keysOf = (data: unknown): readonly Listed[] =>
  (data as { context: { counterGroup: { topper: { keys: Listed[] } } } } | null)?.context
    .counterGroup.topper.keys ?? [];

/** An example with its variables written out. */
const filledIn = ({ query, variables }: (typeof EXAMPLES)[number]): string => {
  const values = { ...variables, context: DEMO_NAME };
  const body = query.replace(/^query \w+\s*\([^)]*\)/m, 'query');
  return Object.entries(values).reduce(
    (text, [name, value]) => text.replaceAll(`$${name}`, JSON.stringify(value)),
    body,
  );
};

/** These tests are last, as urql warns of the same thing only once per process. */
describe('without a configuration', () => {
  useLab();

  const documents = HALVES.map((half) => topper(half));

  it('Apollo Client loses the answer to the first of two queries', async () => {
    const client = apolloClient(serverOf(lab), new InMemoryCache());
    for (const document of documents) await client.ask(document);
    expect(await client.known(documents[0] ?? '')).toBeNull();
    expect(complaints.join()).toContain('Cache data may be lost');
  });

  it('urql warns of each type, and mixes up the fields of two keys', async () => {
    const client = urqlClient(serverOf(lab), cacheExchange({}));
    for (const document of documents) await client.ask(document);
    expect(complaints.length).toBeGreaterThan(10);
    const metrics = topper('keys { key metric }');
    const labels = topper('keys { key label }');
    await client.ask(metrics);
    await client.ask(labels);
    await lab.importSamples([{ group: GROUP, key: 'a', ts: T0 + 600, values: { 0: 1000 } }]);
    await client.refetch(metrics);
    const [largest] = keysOf(await client.known(labels));
    expect(largest).toEqual({ key: 'a', label: 'label of d' });
  });
});
