import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { projectRoot } from '../../db/project-root.ts';
import { ERRORS } from '../../domain/errors.ts';
import { post } from '../support/http/rest-parameters.ts';
import { startTestService, type TestService } from '../support/lab/service.ts';

const text = readFileSync(join(projectRoot(), 'docs/reference/errors.md'), 'utf8');

it('docs/reference/errors.md repeats the table of errors, row by row', () => {
  const rows = text.split('\n').filter((line) => /^\| \d/.test(line));
  const expected = Object.values(ERRORS).map(
    ({ status, code, message, when }) => `| ${status} | \`${code}\` | \`${message}\` | ${when} |`,
  );
  expect(rows).toEqual(expected);
});

const NAMED = 'query Named($name: String!) { context(name: $name) { name } }';

/** Requests for each row of the page's table: a body to POST, or a method and a query. */
const REQUESTS: Readonly<Record<string, readonly (object | readonly [string, string])[]>> = {
  'has no `query`, or an empty one': [{}, { variables: {} }, { query: null }, { query: '' }],
  'has a document that does not parse or validate': [{ query: '{' }, { query: '{ nothing }' }],
  'has a `query` that is not a text, or `variables` that are not an object': [
    { query: 7 },
    { query: '{ __typename }', variables: 7 },
  ],
  'lacks a variable, or has one that does not fit its type': [
    { query: NAMED },
    { query: NAMED, variables: { name: 7 } },
  ],
  'names an operation that the document does not have': [
    { query: '{ __typename }', operationName: 'Other' },
  ],
  'is a mutation by GET': [['GET', 'mutation { updateKeys { key } }']],
  'is neither GET nor POST': [
    ['PUT', '{ __typename }'],
    ['DELETE', '{ __typename }'],
  ],
};

const TYPES = ['application/json', 'application/graphql-response+json'] as const;

describe('the statuses of GraphQL requests in docs/reference/errors.md', () => {
  let service: TestService;

  beforeAll(async () => {
    service = await startTestService();
  });

  afterAll(() => service.close());

  const rows = [...text.matchAll(/^\| ([^|]+) \| (\d{3}) \| (\d{3}) \|$/gm)].map(
    ([, what = '', ...statuses]) => ({ what, statuses: statuses.map(Number) }),
  );

  const statusOf = async (request: object | readonly [string, string], accept: string) => {
    if (Array.isArray(request)) {
      const [method, query] = request;
      const address = `/graphql?query=${encodeURIComponent(query)}`;
      return (await service.call(address, { method, headers: { accept } })).status;
    }
    const sent = post('application/json', JSON.stringify(request));
    return (await service.call('/graphql', { ...sent, headers: { ...sent.headers, accept } }))
      .status;
  };

  it('are documented for every kind of request in this test', () => {
    expect(rows.map(({ what }) => what)).toEqual(Object.keys(REQUESTS));
  });

  it.each(rows)('are those of the server: $what', async ({ what, statuses }) => {
    for (const request of REQUESTS[what] ?? []) {
      const answered = await Promise.all(TYPES.map((type) => statusOf(request, type)));
      expect([request, answered]).toEqual([request, statuses]);
      expect(await statusOf(request, 'text/event-stream')).toBe(statuses[0]);
    }
  });
});
