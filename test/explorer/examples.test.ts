import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type GraphQLError, getVariableValues, Kind, parse, validate } from 'graphql';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { projectRoot } from '../../db/project-root.ts';
import { createDemo, DEMO_NAME } from '../../ingest/demo/demo.ts';
import { EXAMPLES } from '../../schema/documents/examples.ts';
import { schema } from '../../schema/schema.ts';
import type { RunningServer } from '../../server/start-server.ts';
import { createTestDatabase, type TestDatabase } from '../support/database/database.ts';
import { DEMO, startExplorerServer } from './explorer-server.ts';

const guide = readFileSync(join(projectRoot(), 'docs/reference/graphql.md'), 'utf8');

const blocksOf = (language: string): string[] =>
  [...guide.matchAll(new RegExp(`^\`\`\`${language}\n(.*?)^\`\`\`$`, 'gms'))].map(
    ([, block = '']) => block,
  );

/** The guide's queries, and one for each window in its table. */
const GUIDE = [
  ...blocksOf('graphql'),
  ...[...guide.matchAll(/^\| `((?:\w+): .*?)` \|/gm)].map(([, window]) =>
    topperQuery(`window: { ${window} }`),
  ),
];

function topperQuery(parameters: string): string {
  const group = 'counterGroup(guid: "{4CD742B1-C1CA-4708-BE78-0FCA2EB01A86}")';
  return `{ context(name: "demo") { ${group} { topper(${parameters}) { total } } } }`;
}

const operationOf = (query: string) => {
  const [operation, ...others] = parse(query).definitions;
  if (operation?.kind !== Kind.OPERATION_DEFINITION || others.length > 0) {
    throw new Error(`not one operation: ${query}`);
  }
  return operation;
};

describe('the example queries', () => {
  it.each(EXAMPLES)(
    '"$title" is valid, and all its variables have values',
    ({ query, ...rest }) => {
      expect(validate(schema, parse(query))).toEqual([]);
      const { variableDefinitions = [] } = operationOf(query);
      const given = { context: DEMO_NAME, ...rest.variables };
      expect(getVariableValues(schema, variableDefinitions, given).errors).toBeUndefined();
      const names = variableDefinitions.map(({ variable }) => variable.name.value);
      expect(Object.keys(given).sort()).toEqual(names.toSorted());
    },
  );

  it('have distinct operation names, which their tabs show', () => {
    const names = EXAMPLES.map(({ query }) => operationOf(query).name?.value);
    expect(names).not.toContain(undefined);
    expect(new Set(names).size).toBe(EXAMPLES.length);
  });
});

describe('the queries of docs/reference/graphql.md', () => {
  it('are valid', () => {
    expect(GUIDE.length).toBeGreaterThan(16);
    expect(GUIDE.flatMap((query) => validate(schema, parse(query)))).toEqual([]);
  });
});

describe('on the demo', () => {
  let database: TestDatabase;
  let server: RunningServer;

  beforeAll(async () => {
    database = await createTestDatabase();
    const now = () => Math.floor(Date.now() / 1000);
    await createDemo({ databaseUrl: database.url, now });
    server = await startExplorerServer(database.url, DEMO);
  }, 120_000);

  afterAll(async () => {
    await server?.close();
    await database?.drop();
  });

  async function answerTo(query: string, variables: object) {
    const answer = await fetch(`${server.url}/graphql`, {
      method: 'POST',
      headers: {
        authorization: 'Bearer demo',
        'x-username': 'demo',
        'content-type': 'application/json',
      },
      body: JSON.stringify({ query, variables }),
    });
    return (await answer.json()) as { data?: unknown; errors?: GraphQLError[] };
  }

  it.each(EXAMPLES)('"$title" returns data', async ({ query, variables }) => {
    const { data, errors } = await answerTo(query, { context: DEMO_NAME, ...variables });
    expect(errors).toBeUndefined();
    expect(emptyPlaces(data)).toEqual([]);
  });

  it.each(GUIDE)('query %# of the guide returns no error', async (query) => {
    const { data, errors } = await answerTo(query, {});
    expect(errors).toBeUndefined();
    expect(data).not.toMatchObject({ context: null });
  });

  it('the server returns the error that the guide shows', async () => {
    const [shown = ''] = blocksOf('json');
    const { data, errors } = await answerTo(topperQuery('maxItems: 0'), {});
    const withoutLocations = errors?.map(({ locations: _, ...error }) => error);
    expect({ errors: withoutLocations, data }).toEqual(JSON.parse(shown));
  });
});

/** Fields for which the demo always has data, so that no example may show them empty. */
const WANTED = ['context', 'counterGroup', 'topper', 'keys', 'edges', 'drilldown', 'previous'];

/** Paths at which a wanted field is null or an empty list. */
function emptyPlaces(value: unknown, path = ''): string[] {
  if (value === null || typeof value !== 'object') return [];
  return Object.entries(value).flatMap(([name, inner]) => {
    const place = `${path}/${name}`;
    const isEmpty = inner === null || (Array.isArray(inner) && inner.length === 0);
    return isEmpty && WANTED.includes(name) ? [place] : emptyPlaces(inner, place);
  });
}
