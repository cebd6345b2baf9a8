import { buildClientSchema, getIntrospectionQuery, type IntrospectionQuery } from 'graphql';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { schema } from '../../../schema/schema.ts';
import { group, startLab } from '../../support/lab/lab.ts';
import { ADA, basic, type TestService } from '../../support/lab/service.ts';

const NONE = {};
const WRONG = basic({ ...ADA, token: 'wrong' });

const ASKS: readonly (readonly [string, string])[] = [
  ['__schema', '{ __schema { queryType { name } } }'],
  ['__type', '{ __type(name: "Topper") { name } }'],
  ['an alias of __schema', '{ innocent: __schema { queryType { name } } }'],
  ['__type beside other fields', '{ viewer { username } __type(name: "Topper") { name } }'],
  [
    '__schema within fragments',
    '{ ...A } fragment A on Query { ...B } fragment B on Query { __schema { types { name } } }',
  ],
  [
    '__type within inline fragments',
    '{ ... on Query { ... { __type(name: "Topper") { name } } } }',
  ],
];

/** Mistakes for which graphql-js suggests names of the schema. */
const TYPOS: readonly (readonly [string, string, Record<string, unknown>])[] = [
  ['a field', '{ viewr { username } }', {}],
  ['several fields', '{ context(name: "lab") { counterGroup_ nam } }', {}],
  ['an argument', '{ context(nam: "lab") { name } }', {}],
  ['a type', '{ node(id: "x") { ... on Contxt { name } } }', {}],
  ['a field of one type of several', '{ node(id: "x") { haSlaveMode } }', {}],
  [
    'an input field',
    'query ($w: WindowInput) { node(id: "x") { ... on Meter { topper(window: $w) { total } } } }',
    { w: { recentSecond: 1 } },
  ],
  [
    'an enum value',
    'query ($w: WindowInput) { node(id: "x") { ... on Meter { topper(window: $w) { total } } } }',
    { w: { preset: 'TODY' } },
  ],
  [
    'a literal',
    '{ node(id: "x") { ... on Meter { topper(window: { preset: TODY }) { total } } } }',
    {},
  ],
  ['a directive argument', '{ viewer @include(iff: true) { username } }', {}],
  ['missing subfields', '{ viewer }', {}],
];

const start = (introspection: 'on' | 'signed-in' | 'off') =>
  startLab({ groups: [group(1)], settings: { introspection } });

describe('COUNTERGRAPH_INTROSPECTION=on', () => {
  let lab: TestService;
  beforeAll(async () => {
    lab = await start('on');
  });
  afterAll(() => lab.close());

  it('shows the schema to anybody', async () => {
    const { data } = await lab.graphql<IntrospectionQuery>(getIntrospectionQuery(), {}, NONE);
    const told = buildClientSchema(data);
    expect(Object.keys(told.getTypeMap()).sort()).toEqual(Object.keys(schema.getTypeMap()).sort());
  });

  it.each(TYPOS)('suggests names for %s', async (_, query, variables) => {
    const { text } = await lab.graphql(query, variables);
    expect(text).toContain('Did you mean');
  });
});

describe('COUNTERGRAPH_INTROSPECTION=signed-in', () => {
  let lab: TestService;
  beforeAll(async () => {
    lab = await start('signed-in');
  });
  afterAll(() => lab.close());

  it.each(ASKS)('answers signed-in callers: %s', async (_, query) => {
    expect(await lab.data(query)).toBeTruthy();
  });

  it.each(ASKS)('refuses all other callers: %s', async (_, query) => {
    for (const headers of [NONE, WRONG]) {
      const answer = await lab.graphql(query, {}, headers);
      expect(JSON.parse(answer.text)).toEqual({
        errors: [{ message: 'Invalid API token', extensions: { code: 'UNAUTHENTICATED' } }],
      });
      expect(answer.status).toBe(401);
      expect(answer.headers['www-authenticate']).toBe('Bearer');
    }
  });

  it.each(TYPOS)('suggests names for %s only to signed-in callers', async (_, query, variables) => {
    expect((await lab.graphql(query, variables)).text).toContain('Did you mean');
    for (const headers of [NONE, WRONG]) {
      expect((await lab.graphql(query, variables, headers)).text).not.toContain('Did you mean');
    }
    // The document is cached by now, but its suggestions still depend on the caller.
    expect((await lab.graphql(query, variables)).text).toContain('Did you mean');
  });

  it('leaves __typename open', async () => {
    expect(await lab.graphql('{ __typename }', {}, NONE)).toMatchObject({
      status: 200,
      data: { __typename: 'Query' },
    });
  });
});

describe('COUNTERGRAPH_INTROSPECTION=off', () => {
  let lab: TestService;
  beforeAll(async () => {
    lab = await start('off');
  });
  afterAll(() => lab.close());

  it.each(ASKS)('refuses everybody: %s', async (_, query) => {
    for (const headers of [NONE, basic(ADA)]) {
      const { text, status } = await lab.graphql(query, {}, headers);
      expect(JSON.parse(text)).toEqual({
        errors: [
          {
            message: 'Introspection is switched off on this server',
            extensions: { code: 'FORBIDDEN' },
          },
        ],
      });
      expect(status).toBe(403);
    }
  });

  it.each(TYPOS)('suggests no names for %s', async (_, query, variables) => {
    const { text, errors } = await lab.graphql(query, variables);
    expect(text).not.toMatch(/did you mean/i);
    for (const { message, extensions } of errors ?? []) {
      expect(message).toMatch(/\S$/);
      expect(extensions.code).toBe('BAD_USER_INPUT');
    }
    expect(errors?.length).toBeGreaterThan(0);
  });

  it('leaves __typename and everything else as it is', async () => {
    expect(await lab.graphql('{ __typename }', {}, NONE)).toMatchObject({ status: 200 });
    expect(await lab.data('{ __typename viewer { __typename username } }')).toEqual({
      __typename: 'Query',
      viewer: { __typename: 'Viewer', username: 'ada' },
    });
  });

  it('concerns only the operation that is run', async () => {
    const query = 'query A { __typename } query B { __schema { queryType { name } } }';
    const post = async (operationName: string) => {
      const headers = { ...basic(ADA), 'content-type': 'application/json' };
      const body = JSON.stringify({ query, operationName });
      return (await lab.call('/graphql', { method: 'POST', headers, body })).status;
    };
    expect(await Promise.all([post('A'), post('B')])).toEqual([200, 403]);
  });
});
