import { getIntrospectionQuery } from 'graphql';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { LIMITS } from '../../../domain/limits.ts';
import { EXAMPLES } from '../../../schema/documents/examples.ts';
import { group, guidOf, startLab, T0 } from '../../support/lab/lab.ts';
import { ADA, basic, type TestService } from '../../support/lab/service.ts';

const GROUP = guidOf(1);

let lab: TestService;

beforeAll(async () => {
  lab = await startLab({
    groups: [group(1)],
    lines: [{ group: GROUP, key: 'k', ts: T0, values: { 0: 1 } }],
  });
});

afterAll(() => lab.close());

const repeat = (count: number, text: (i: number) => string): string =>
  Array.from({ length: count }, (_, i) => text(i)).join(' ');

type Case = readonly [what: string, limit: number, document: (n: number) => string];

const nested = (depth: number): string => {
  // context, counterGroup, meter, counterGroup, meter …: one field for each level.
  const names = ['context(name: "lab")', `counterGroup(guid: "${GROUP}")`];
  for (let i = names.length; i < depth - 1; i += 1) {
    names.push(i % 2 === 0 ? 'meter(index: 0)' : 'counterGroup');
  }
  return `{ ${names.join(' { ')} { __typename ${'} '.repeat(depth)}`;
};

/** The strings of a list, and 32 tokens around them. */
const ofTokens = (count: number): string =>
  `{ context(name: "lab") { counterGroup(guid: "${GROUP}") {
    topper(filter: { keys: [${repeat(count - 32, (i) => `"k${i}"`)}] }) { total } } } }`;

const CASES: readonly Case[] = [
  ['The tokens of the document', 5_000, ofTokens],
  ['The depth of the query', 12, nested],
  [
    'The nesting of the query',
    150,
    (n) => `{ viewer { ${'... { '.repeat(n - 2)} username ${'} '.repeat(n)}`,
  ],
  ['The aliases of the query', 100, (n) => `{ viewer { ${repeat(n, (i) => `a${i}: username`)} } }`],
  ['The root fields of the query', 100, (n) => `{ ${'__typename '.repeat(n)} }`],
  [
    'The directives of the query',
    50,
    (n) => `{ viewer { username ${'... @include(if: true) { username } '.repeat(n)} } }`,
  ],
];

describe('a limit', () => {
  it.each(CASES)('%s: %i pass', async (_, limit, document) => {
    expect(await lab.data(document(limit))).not.toBeNull();
  });

  it.each(CASES)('%s: more than %i is LIMIT, and no statement runs', async (what, limit, doc) => {
    const statements = lab.watchStatements();
    const { status, text } = await lab.graphql(doc(limit + 1));
    const given = what.startsWith('The tokens') ? 'more' : limit + 1;
    expect(JSON.parse(text)).toMatchObject({
      errors: [
        {
          message: `${what} must be at most ${limit}, got ${given}`,
          extensions: { code: 'LIMIT' },
        },
      ],
    });
    expect(text).not.toContain('"data"');
    expect(status).toBe(400);
    expect(statements()).toEqual([]);
  });

  it('applies to each request, even for a document seen before', async () => {
    const document = nested(13);
    for (const _ of [1, 2, 3]) {
      expect((await lab.graphql(document)).errors).toMatchObject([
        { extensions: { code: 'LIMIT' } },
      ]);
    }
  });

  it('applies to every operation of a document, whichever is run', async () => {
    const document = `query A { __typename } query B ${nested(13)}`;
    const body = JSON.stringify({ query: document, operationName: 'A' });
    const headers = { ...basic(ADA), 'content-type': 'application/json' };
    const answer = await lab.call('/graphql', { method: 'POST', headers, body });
    expect(JSON.parse(answer.text).errors[0].extensions.code).toBe('LIMIT');
  });

  it('counts each operation separately', async () => {
    const aliases = (name: string) =>
      `query ${name} { viewer { ${repeat(60, (i) => `a${i}: username`)} } }`;
    const body = JSON.stringify({ query: `${aliases('A')} ${aliases('B')}`, operationName: 'B' });
    const headers = { ...basic(ADA), 'content-type': 'application/json' };
    const answer = await lab.call('/graphql', { method: 'POST', headers, body });
    expect(answer.status).toBe(200);
  });

  it('is reported even to callers without credentials', async () => {
    const { status, errors } = await lab.graphql(nested(13), {}, {});
    expect([status, errors?.[0]?.extensions.code]).toEqual([400, 'LIMIT']);
  });
});

describe('fragments', () => {
  it('count wherever they are spread', async () => {
    const fragment = `fragment F on Viewer { ${repeat(25, (i) => `a${i}: username`)} }`;
    const document = (count: number) => `{ viewer { ${'...F '.repeat(count)} } } ${fragment}`;
    expect(await lab.data(document(4))).toMatchObject({ viewer: { a0: 'ada' } });
    expect((await lab.graphql(document(5))).errors).toMatchObject([
      { message: 'The aliases of the query must be at most 100, got 125' },
    ]);
  });

  it('that double a hundred times are counted without being expanded', async () => {
    const links = repeat(100, (i) => `fragment F${i} on Viewer { ...F${i + 1} ...F${i + 1} }`);
    const document = `{ viewer { ...F0 } } ${links} fragment F100 on Viewer { a: username }`;
    expect((await lab.graphql(document)).errors).toMatchObject([
      {
        message: expect.stringMatching(
          /^The aliases of the query must be at most 100, got 1\.\d+e/,
        ),
      },
    ]);
  });

  it('that spread each other in a cycle are BAD_USER_INPUT', async () => {
    const document =
      '{ viewer { ...A } } fragment A on Viewer { username ...B } fragment B on Viewer { ...A }';
    const { errors } = await lab.graphql(document);
    expect(errors).toMatchObject([
      { message: expect.stringContaining('spread'), extensions: { code: 'BAD_USER_INPUT' } },
    ]);
  });
});

describe('fields of the same name', () => {
  it('are compared with each other only up to a limit', async () => {
    const document = (count: number) => `{ viewer { ${'username '.repeat(count)} } }`;
    expect(await lab.data(document(500))).toEqual({ viewer: { username: 'ada' } });
    const { status, errors } = await lab.graphql(document(4_000));
    expect(errors).toMatchObject([
      {
        message: 'The comparisons of repeated fields must be at most 500000, got more',
        extensions: { code: 'LIMIT' },
      },
    ]);
    expect(status).toBe(400);
  });
});

describe('a document that is nested', () => {
  it.each([
    ['selections', `${'{a'.repeat(2_400)}${'}'.repeat(2_400)}`],
    ['inline fragments', `{${'...{'.repeat(1_600)}a${'}'.repeat(1_600)}}`],
    ['lists', `{context(name:${'['.repeat(2_400)}${']'.repeat(2_400)}){name}}`],
    ['objects', `{context(name:${'{a:'.repeat(1_200)}1${'}'.repeat(1_200)}){name}}`],
  ])('thousands of %s deep is refused, and is not a server error', async (_, document) => {
    const { errors, status } = await lab.graphql(document);
    expect(['LIMIT', 'BAD_USER_INPUT']).toContain(errors?.[0]?.extensions.code);
    expect(status).toBeLessThan(500);
  });
});

describe('a body', () => {
  const post = async (body: string) => {
    const headers = { ...basic(ADA), 'content-type': 'application/json' };
    const statements = lab.watchStatements();
    const answer = await lab.call('/graphql', { method: 'POST', headers, body });
    return { ...answer, statements: statements() };
  };

  it.each([
    ['two requests', '[{"query": "{ __typename }"}, {"query": "{ __typename }"}]'],
    ['one request', '[{"query": "{ viewer { username } }"}]'],
    ['no requests', '[]'],
  ])('that is a list of %s is refused: batches are not supported', async (_, body) => {
    const { status, text, statements } = await post(body);
    expect(JSON.parse(text)).toEqual({
      errors: [
        {
          message:
            'The request body could not be read - ' +
            'it must be a JSON object, a list of requests is not supported',
          extensions: { code: 'BAD_USER_INPUT' },
        },
      ],
    });
    expect(status).toBe(400);
    expect(statements).toEqual([]);
  });
});

describe('parameters that are nested', () => {
  const nestedList = (levels: number) => `${'['.repeat(levels)}${']'.repeat(levels)}`;
  const nestedObject = (levels: number) => `${'{"a":'.repeat(levels)}1${'}'.repeat(levels)}`;
  const post = async (body: string, headers = {}) =>
    lab.call('/graphql', {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
      body,
    });
  const REFUSED = {
    errors: [
      {
        message: 'The nesting of the request must be at most 150, got more',
        extensions: { code: 'LIMIT' },
      },
    ],
  };

  it.each([
    ['variables', '{ viewer { username } }', `{"x":${nestedList(100_000)}}`],
    ['variables', '{ viewer { username } }', nestedObject(20_000)],
    ['extensions', '{ __typename }', `{"persistedQuery":${nestedList(20_000)}}`],
    ['extensions', '{ __typename }', `{"plan":${nestedObject(149)}}`],
    ['documentId', '{ __typename }', nestedList(100_000)],
    ['operationName', '{ __typename }', nestedList(100_000)],
    ['query', '{ __typename }', nestedList(100_000)],
  ])('too deeply in %s are refused, with and without credentials', async (name, query, value) => {
    const body = `{"query":${JSON.stringify(query)},"${name}":${value}}`;
    for (const headers of [{}, basic(ADA)]) {
      // The fast path answers documents that are asked for again and again.
      for (let times = 0; times <= LIMITS.compileAfter; times += 1) {
        const { status, text } = await post(body, headers);
        expect([status, JSON.parse(text)]).toEqual([400, REFUSED]);
      }
    }
    expect(lab.logText()).not.toContain('call stack');
  });

  it('too deeply in an address are refused', async () => {
    const search = new URLSearchParams({
      query: '{ viewer { username } }',
      variables: `{"x":${nestedList(3_000)}}`,
    });
    const { status, text } = await lab.call(`/graphql?${search}`, { headers: basic(ADA) });
    expect([status, JSON.parse(text)]).toEqual([400, REFUSED]);
  });

  it('up to the limit are accepted', async () => {
    const body = `{"query":"{ viewer { username } }","variables":{"x":${nestedList(148)}}}`;
    const { status, text } = await post(body, basic(ADA));
    expect([status, JSON.parse(text)]).toEqual([200, { data: { viewer: { username: 'ada' } } }]);
  });
});

describe('ordinary use', () => {
  it.each(EXAMPLES.map(({ title, query, variables }) => [title, query, variables] as const))(
    'passes: %s',
    async (_, query, variables) => {
      const { errors = [] } = await lab.graphql(query, { ...variables, context: 'lab' });
      expect(errors.filter(({ extensions }) => extensions.code === 'LIMIT')).toEqual([]);
    },
  );

  it('the introspection query of explorers and code generators passes', async () => {
    const query = getIntrospectionQuery({
      descriptions: true,
      specifiedByUrl: true,
      directiveIsRepeatable: true,
      schemaDescription: true,
      inputValueDeprecation: true,
      oneOf: true,
    });
    const { __schema } = await lab.data<{ __schema: { types: object[] } }>(query);
    expect(__schema.types.length).toBeGreaterThan(30);
  });

  it('introspection has its own limit of depth', async () => {
    const document = (depth: number): string => {
      const types = `${'ofType { '.repeat(depth - 4)} name ${'} '.repeat(depth - 4)}`;
      return `{ __type(name: "Query") { fields { type { ${types} } } } }`;
    };
    expect(await lab.data(document(20))).toMatchObject({ __type: {} });
    expect((await lab.graphql(document(21))).errors).toMatchObject([
      { message: 'The depth of the introspection must be at most 20, got 21' },
    ]);
  });
});
