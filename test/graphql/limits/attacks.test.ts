import { getIntrospectionQuery } from 'graphql';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { post } from '../../support/http/rest-parameters.ts';
import { group, guidOf, startLab, T0 } from '../../support/lab/lab.ts';
import { ADA, basic, startTestService, type TestService } from '../../support/lab/service.ts';

const GROUP = guidOf(1);
const KEYS = 3_000;
const BOB = { username: 'bob', token: 'bob-token' };

let lab: TestService;

beforeAll(async () => {
  lab = await startLab({
    settings: { responseCacheBytes: 0 },
    groups: [group(1)],
    lines: Array.from({ length: KEYS }, (_, i) => ({
      group: GROUP,
      key: `key number ${i}`,
      ts: T0 + 60 * (i % 60),
      values: { 0: i + 1 },
    })),
  });
  await lab.addUser(BOB, ['lab']);
});

afterAll(() => lab.close());

const inGroup = (selection: string, declared = '') =>
  `query ${declared} { context(name: "lab") { counterGroup(guid: "${GROUP}") { ${selection} } } }`;

const WINDOW = `window: { interval: { from: ${T0}, to: ${T0 + 3600} } }`;

const SMALL = inGroup(`topper(${WINDOW}, maxItems: 1) { keys { key } }`);

const aliases = (count: number, field: (i: number) => string): string =>
  Array.from({ length: count }, (_, i) => `a${i}: ${field(i)}`).join(' ');

/** Leads back to the group again and again, for each key, under several names. */
const DEEP = inGroup(
  `topper(${WINDOW}, maxItems: ${KEYS}) { keys { ${aliases(
    30,
    () =>
      'keyNode { counterGroup { meter(index: 0) { counterGroup { meter(index: 0) { counterGroup { guid } } } } } }',
  )} } }`,
);

/** About 600,000 values. */
const LARGE = inGroup(
  `topper(${WINDOW}, maxItems: ${KEYS}) { keys { ${aliases(90, () => 'metric')} key label } }`,
);

const tooManyValues = (limit: number) => ({
  data: null,
  errors: [
    {
      message: expect.stringContaining(
        `The values of an answer must be at most ${limit}, got more`,
      ),
      extensions: { code: 'LIMIT' },
    },
  ],
});

type Toppers = { context: { counterGroup: Record<string, unknown> } };

/** Notes in which order requests end. */
async function orderOf(requests: Readonly<Record<string, Promise<unknown>>>): Promise<string[]> {
  const order: string[] = [];
  await Promise.all(
    Object.entries(requests).map(([name, request]) => request.then(() => order.push(name))),
  );
  return order;
}

describe('a document that leads back to where it began, for each key', () => {
  it('ends with one error', async () => {
    lab.settings.answerValues = 100_000;
    const { status, text } = await lab.graphql(DEEP);
    lab.settings.answerValues = 4_000_000;
    expect([status, JSON.parse(text)]).toEqual([200, tooManyValues(100_000)]);
  });

  it('lets others be answered before it is complete', async () => {
    // The server has the first request when it has the second one.
    const order = await orderOf({
      deep: lab.graphql(DEEP),
      healthz: lab.call('/healthz'),
      small: lab.graphql(SMALL, {}, basic(BOB)),
    });
    expect(order.at(-1)).toBe('deep');
    expect(order).toHaveLength(3);
  });
});

it('a request of another user starts and ends while a large answer is completed', async () => {
  const large = lab.graphql<{ context: { counterGroup: { topper: { keys: object[] } } } }>(LARGE);
  const smalls = Array.from({ length: 5 }, () => lab.graphql(SMALL, {}, basic(BOB)));
  const order = await orderOf({ large, smalls: Promise.all(smalls) });
  expect(order).toEqual(['smalls', 'large']);
  expect((await large).data.context.counterGroup.topper.keys).toHaveLength(KEYS);
});

describe('ten toppers with a key pattern of 10,000 characters', () => {
  const pattern = (i: number) => `(?i)x${'[a-y0-9 ]?'.repeat(997)}${i}${'z'.repeat(7)}`;
  const variables = Object.fromEntries(Array.from({ length: 10 }, (_, i) => [`p${i}`, pattern(i)]));
  const document = inGroup(
    aliases(10, (i) => `topper(${WINDOW}, maxItems: 1, filter: { match: $p${i} }) { keyCount }`),
    `(${Object.keys(variables)
      .map((name) => `$${name}: String`)
      .join(', ')})`,
  );

  it('run in a thread, and let a small topper of another user be answered first', async () => {
    expect(variables['p0']?.length).toBeGreaterThan(9_900);
    const patterns = lab.graphql(document, variables);
    const small = lab.graphql(SMALL, {}, basic(BOB));
    expect(await orderOf({ patterns, small })).toEqual(['small', 'patterns']);
    expect((await small).errors).toBeUndefined();
    expect((await patterns).errors).toBeUndefined();
    const { text } = await lab.call('/metrics');
    expect(text).toMatch(/task="match in a thread"/);
  });

  it('are refused if they cost more than an operation may', async () => {
    const settings = { ...lab.settings, graphql: { ...lab.settings.graphql, cost: 100 } };
    const service = await startTestService({ databaseUrl: lab.databaseUrl, settings });
    try {
      const { status, data, errors = [] } = await service.graphql<Toppers>(document, variables);
      expect([status, errors.length]).toEqual([200, 10]);
      expect(Object.values(data.context.counterGroup)).toEqual(Array(10).fill(null));
      for (const { message, extensions } of errors) {
        expect(message).toContain('The cost of matching keys with patterns must be at most 100');
        expect(extensions.code).toBe('LIMIT');
      }
    } finally {
      await service.close();
    }
  });
});

describe('without credentials', () => {
  const ask = async (query: string) => {
    const { status, text } = await lab.call(
      '/graphql',
      post('application/json', JSON.stringify({ query })),
    );
    return { status, body: JSON.parse(text) };
  };

  it('a hundred aliases of __type end with one error', async () => {
    const names = 'name description isDeprecated deprecationReason';
    const { status, body } =
      await ask(`{ ${aliases(100, () => '__type(name: "Context") { ...All }')} }
      fragment All on __Type { fields { type { ...Fields ofType { ...Fields ofType { ofType { ...Fields } } } } } }
      fragment Fields on __Type { fields { ${names} args { name type { kind name } } } }`);
    expect([status, body]).toEqual([200, tooManyValues(50_000)]);
  });

  it('the introspection query of graphql-js is answered', async () => {
    const { status, body } = await ask(getIntrospectionQuery());
    expect([status, body.errors]).toEqual([200, undefined]);
    expect(body.data.__schema.types.length).toBeGreaterThan(50);
  });
});

it('the user of these attacks is answered afterwards', async () => {
  expect(await lab.data(SMALL, {}, ADA)).toBeTruthy();
});
