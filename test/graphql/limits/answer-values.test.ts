import { setImmediate as iteration } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { post } from '../../support/http/rest-parameters.ts';
import { group, guidOf, startLab, T0 } from '../../support/lab/lab.ts';
import { startTestService, type TestService } from '../../support/lab/service.ts';

const GROUP = guidOf(1);
const KEYS = 10;
const MOST = 100;

let lab: TestService;

beforeAll(async () => {
  lab = await startLab({
    groups: [group(1)],
    lines: Array.from({ length: KEYS }, (_, i) => ({
      group: GROUP,
      key: `k${i}`,
      ts: T0,
      values: { 0: i + 1 },
    })).concat({ group: GROUP, key: 'k0', ts: T0 + 3540, values: { 0: 1 } }),
  });
});

afterAll(() => lab.close());

/** An hour has 12 points. */
const topper = (below: string) =>
  `topper(window: { interval: { from: ${T0}, to: ${T0 + 3600} } }) { keyCount ${below} }`;

const inGroup = (toppers: string) =>
  `{ context(name: "lab") { counterGroup(guid: "${GROUP}") { ${toppers} } } }`;

const TOO_MANY = {
  data: null,
  errors: [
    {
      message: `The values of an answer must be at most ${MOST}, got more: request fewer fields, fewer aliases, smaller pages or a shorter window`,
      extensions: { code: 'LIMIT' },
    },
  ],
};

/** `context`, `counterGroup`, `topper` and `keyCount`. */
const AROUND = 4;

const aliases = (count: number, field: string) =>
  Array.from({ length: count }, (_, i) => `a${i}: ${field}`).join(' ');

describe.each([
  ['once', 0],
  ['kept', 1],
])('the values of an answer, of an operation that is compiled: %s', (_, compileAfter) => {
  let service: TestService;

  beforeAll(async () => {
    const settings = {
      answerValues: MOST,
      answerValuesSignedOut: MOST,
      compileAfter,
      responseCacheBytes: 0,
    };
    service = await startTestService({ databaseUrl: lab.databaseUrl, settings });
  });

  afterAll(() => service.close());

  const ask = async (query: string) => {
    // With compileAfter 1, the second request takes the fast path.
    await service.graphql(query);
    const { status, text } = await service.graphql(query);
    return { status, ...JSON.parse(text) };
  };

  it.each<[string, string, number]>([
    ['a leaf', 'total', 1],
    ['a leaf that is null', 'keys { a: description }', 1 + KEYS + KEYS],
    ['the list, its entries and their fields', 'keys { key metric }', 1 + KEYS + 2 * KEYS],
    ['an object and its fields', 'window { from to }', 3],
    ['lists of points', 'series { at total }', 1 + 12 + 24],
    ['rows of a table', 'flatSeries(step: 3600) { at }', 1 + 11 + 11],
    ['lists of leaves', 'keys { percentiles(ranks: [50]) { value } }', 1 + KEYS + KEYS + 2 * KEYS],
    ['objects within objects', 'counterGroup { meter(index: 0) { counterGroup { guid } } }', 4],
    ['type names', '__typename', 1],
    ['a field that is requested twice', 'total total', 1],
    ['what an inline fragment adds', '... { total } ... on Topper { others total }', 2],
  ])('are counted one by one: %s', async (_case, below, values) => {
    const { status, errors } = await ask(
      inGroup(topper(`${below}`)).replace(
        'keyCount',
        `keyCount ${aliases(MOST - AROUND - values, 'total')}`,
      ),
    );
    expect([status, errors]).toEqual([200, undefined]);
    const over = inGroup(topper(`${below}`)).replace(
      'keyCount',
      `keyCount ${aliases(MOST - AROUND - values + 1, 'total')}`,
    );
    expect(await ask(over)).toEqual({ status: 200, ...TOO_MANY });
  });

  it('are counted in introspection, too', async () => {
    const query = '{ __schema { types { name fields { name } } } }';
    expect(await ask(query)).toEqual({ status: 200, ...TOO_MANY });
    const { text } = await service.call('/graphql', {
      ...post('application/json', JSON.stringify({ query })),
    });
    expect(JSON.parse(text)).toEqual(TOO_MANY);
  });

  it('are counted over the whole answer, not for each field', async () => {
    const one = 'keys { rank key }';
    expect((await ask(inGroup(topper(one)))).errors).toBeUndefined();
    const many = ['a', 'b', 'c', 'd'].map((name) => `${name}: ${one}`).join(' ');
    expect(await ask(inGroup(topper(many)))).toEqual({ status: 200, ...TOO_MANY });
  });

  it('are refused when they are announced, before a series is computed', async () => {
    const series = (names: string[]) =>
      inGroup(topper(names.map((name) => `${name}: series { at total }`).join(' ')));
    expect((await ask(series(['a', 'b']))).errors).toBeUndefined();
    expect(await ask(series(['a', 'b', 'c']))).toEqual({ status: 200, ...TOO_MANY });
  });
});

it.each([
  ['once', 0],
  ['kept', 1],
])('an answer that exceeds the limit leaves no error unhandled, %s', async (_, compileAfter) => {
  // The last step fails at once, while the groups of the steps before it are still being loaded.
  const settings = { answerValues: 1000, compileAfter, responseCacheBytes: 0 };
  const service = await startTestService({ databaseUrl: lab.databaseUrl, settings });
  const unhandled: unknown[] = [];
  const note = (error: unknown) => unhandled.push(error);
  process.on('unhandledRejection', note);
  try {
    const window = `window: { interval: { from: ${T0}, to: ${T0 + 3600} } }`;
    const names = Array.from({ length: 98 }, (_unused, i) => `name${i}: key`).join(' ');
    const below = `keys { ${names} } counterGroup { meters { name } }`;
    for (let request = 0; request < 2; request += 1) {
      const { errors } = await service.graphql(
        inGroup(`topperTrend(${window}, every: 300, maxItems: 10) { ${below} }`),
      );
      expect(errors?.[0]).toMatchObject({ extensions: { code: 'LIMIT' } });
      await iteration();
    }
    expect(unhandled).toEqual([]);
  } finally {
    process.off('unhandledRejection', note);
    await service.close();
  }
});
