import { Kind, parse } from 'graphql';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { LIMITS } from '../../../domain/limits.ts';
import { operationCost } from '../../../schema/limits/cost-fault.ts';
import { PRICES } from '../../../schema/limits/prices.ts';
import { windowDays } from '../../../schema/limits/window-days.ts';
import { schema } from '../../../schema/schema.ts';
import { DAY, group, guidOf, startLab, T0 } from '../../support/lab/lab.ts';
import { ADA, basic, type TestService } from '../../support/lab/service.ts';

const GROUP = guidOf(1);

const costOf = (text: string, variables: Record<string, unknown> = {}): number => {
  const document = parse(text);
  const [operation] = document.definitions;
  if (operation?.kind !== Kind.OPERATION_DEFINITION) throw new Error('no operation');
  return operationCost(document, operation, variables, { topperItems: LIMITS.maxItems }).fixed;
};

const inGroup = (selection: string, declared = ''): string =>
  `query ${declared} { context(name: "lab") { counterGroup(guid: "${GROUP}") { ${selection} } } }`;

const window = (days: number): string => `window: { recentSeconds: ${days * DAY} }`;

/** The topper whose cost docs/reference/limits.md computes. */
const DOCUMENTED = `topper(${window(30)}, maxItems: 100) {
  total keys { label metric percentiles(ranks: [50, 95, 99]) { value } }
}`;

describe('the cost of a topper', () => {
  it.each<readonly [string, number]>([
    ['topper { total }', 100 + 1],
    ['topper(maxItems: 1) { total }', 1 + 1],
    ['topper(maxItems: 10) { keys { label metric share attributes { value } } }', 10 + 1],
    [`topper(maxItems: 10, ${window(30)}) { total }`, 10 + 30],
    ['topper(maxItems: 10, prefix: { ipv4: 16 }) { total }', 10 + 1 + 1000],
    ['topper(maxItems: 10, prefix: null) { total }', 10 + 1],
    [`topper(maxItems: 10, ${window(30)}) { keys { peak } }`, 10 + 30 + 10 * 30],
    [
      `topper(maxItems: 10, ${window(30)}) { keys { percentiles(ranks: [1, 2, 3]) { value } } }`,
      10 + 30 + 10 * (30 + 3),
    ],
    [`topper(maxItems: 10, ${window(2)}) { keys { series { at } } }`, 10 + 2 + 10 * 2 * 2],
    [
      `topper(maxItems: 10, ${window(2)}) { keys { series(step: 60) { at } } }`,
      10 + 2 + 10 * 2 * 6,
    ],
    [`topper(maxItems: 10, ${window(2)}) { series { at total } }`, 10 + 2 + 2 + 10 * 2],
    [`topper(maxItems: 10, ${window(2)}) { flatSeries { at } }`, 10 + 2 + 2 + 10 * 2 * 2],
    [
      `topper(maxItems: 10, ${window(2)}) { flatSeries(step: 60) { at } }`,
      10 + 2 + 2 * 5 + 10 * 2 * (1 + 5),
    ],
    [
      `topper(maxItems: 10, ${window(2)}) { flatSeries(step: 1, maxPoints: 576) { at } }`,
      10 + 2 + 2 + 10 * (2 + 2),
    ],
    [
      `topper(maxItems: 10, ${window(366)}) { flatSeries(maxPoints: 288) { at } }`,
      10 + 366 + 1 + 10 * (366 + 1),
    ],
    [`topper(maxItems: 10, ${window(7)}) { keys { previous { metric } } }`, 10 + 7 + 10 * (1 + 7)],
    [
      `topper(maxItems: 10, ${window(7)}) { keys {
        drilldown(crosskey: "${GROUP}", maxItems: 3) { keys { metric } } } }`,
      10 + 7 + 10 * (50 + 3 + 7),
    ],
    [
      `topper(maxItems: 10, ${window(7)}) { keys {
        drilldown(crosskey: "${GROUP}") { keys { peak } } } }`,
      10 + 7 + 10 * (50 + 10 + 7 + 10 * 7),
    ],
    [
      `key(key: "a") { drilldown(crosskey: "${GROUP}", maxItems: 3, ${window(7)}) { keys { peak } } }`,
      3 + 7 + 3 * 7,
    ],
    [`a: ${DOCUMENTED} b: ${DOCUMENTED}`, 2 * 3_430],
    ['meters { topper { total } }', 10 * 101],
    ['meter(index: 0) { topper { total } }', 101],
    ['keys(first: 20) { edges { node { label } } }', 20],
    ['keys(first: 20, search: "x") { edges { node { label } } }', 20 + 1000],
    ['keys(first: 20, match: "^0A") { edges { node { label } } }', 20 + 1000],
    ['keys(first: 20, cidr: ["10.0.0.0/8"]) { edges { node { label } } }', 20 + 1000],
    [`keys(first: 20, search: "x", ${window(2)}) { edges { node { label } } }`, 20 + 1000],
    [`topperTrend(every: 3600, ${window(2)}) { total }`, 48 * (10 + 1)],
    [
      `topperTrend(every: 300, maxItems: 5, ${window(1)}) { keys { peak previous { metric } } }`,
      288 * (5 + 1 + 5 * (1 + 2)),
    ],
    [`topperTrend(every: 172800, ${window(4)}) { keys { peak } }`, 2 * (10 + 2 + 10 * 2)],
    [`topperTrend(every: 172800, ${window(1)}) { total }`, 10 + 1],
    ['topperTrend(every: 60, window: { preset: ALL_AVAILABLE }) { total }', 1000 * (10 + 1)],
    ['topperTrend(every: 0) { total }', 1000 * (10 + 1)],
    ['keys { edges { node { counterGroup { topper { total } } } } }', 50 * (1 + 101)],
    ['keys(first: 0) { edges { node { label } } }', 0],
    ['drilldowns { name }', 0],
    ['name timeInterval { from } crosskey { parent { name } }', 0],
  ])('%s: %d', (selection, expected) => {
    expect(costOf(inGroup(selection))).toBe(expected);
  });

  it.each<readonly [string, number]>([
    ['{ viewer { contexts { name } } }', 0],
    ['{ contexts { counterGroups { topper { total } } } }', 10 * 20 * 101],
    [`{ context(name: "lab") { counterGroups(guids: ["${GROUP}"]) { topper { total } } } }`, 101],
    ['{ node(id: "x") { ... on Meter { topper { total } } } }', 101],
    ['{ nodes(ids: ["x", "y", "z"]) { ... on Meter { topper { total } } } }', 3 * 101],
    ['{ context(name: "lab") { slices { diskSize } pools { name } } }', 0],
    ['{ context(name: "lab") { alertEvents(first: 30) { edges { node { id } } } } }', 30],
    ['{ context(name: "lab") { alerts { firing { id } } } }', 0],
    [
      '{ context(name: "lab") { alerts { firing { alert { counterGroup { topper { total } } } } } } }',
      20 * 1001 * 101,
    ],
    ['{ __schema { types { fields { name } } } }', 0],
    ['{ nonsense { topper { total } } }', 0],
  ])('%s: %d', (text, expected) => {
    expect(costOf(text)).toBe(expected);
  });

  it('depends on the variables, or on the defaults of arguments without one', () => {
    const document = inGroup(
      `topper(maxItems: $n, window: $window) { keys { percentiles(ranks: $ranks) { value } } }`,
      '($n: Int!, $window: WindowInput, $ranks: [Float!]!)',
    );
    const ranks = [50, 95];
    expect(costOf(document, { n: 5, window: { recentSeconds: 3 * DAY }, ranks })).toBe(
      5 + 3 + 5 * (3 + 2),
    );
    expect(costOf(document, { n: 50, window: null, ranks })).toBe(50 + 1 + 50 * (1 + 2));
    expect(costOf(document, { ranks })).toBe(100 + 1 + 100 * (1 + 2));
  });

  it('of a trial grows with its windows, and with the keys that may fire or are asked for', () => {
    const trial = (days: number, rule = 'condition: KEY_ABOVE, threshold: 1') =>
      costOf(`{ context(name: "lab") { alertTrial(
        alert: { name: "a", counterGroup: "${GROUP}", ${rule} }, ${window(days)}) { fired } } }`);
    const above = (more: string) => `condition: KEY_ABOVE, threshold: 1, ${more}`;
    expect(trial(1)).toBe(288 * (100 + 1));
    expect(trial(1, above(`windowSeconds: ${2 * DAY}, maxKeys: 500`))).toBe(288 * (500 + 2));
    expect(trial(1, 'condition: KEY_IN_TOP, threshold: 2000')).toBe(288 * (2_000 + 1));
    const largest = trial(7, above(`windowSeconds: ${DAY}, maxKeys: 1000`));
    expect(largest).toBeGreaterThan(LIMITS.graphqlCost);
    // The longest that the dashboard offers.
    expect(trial(30)).toBeLessThan(LIMITS.graphqlCost);
  });

  it('clamps maxItems to its valid range', () => {
    expect(costOf(inGroup('topper(maxItems: 2000000000) { total }'))).toBe(LIMITS.maxItems + 1);
    expect(costOf(inGroup('topper(maxItems: -5) { total }'))).toBe(1);
  });

  it('has prices only for fields that exist', () => {
    const missing = Object.keys(PRICES).filter((name) => {
      const [type = '', field = ''] = name.split('.');
      const found = schema.getType(type);
      return !found || !('getFields' in found) || !found.getFields()[field];
    });
    expect(missing).toEqual([]);
  });
});

describe('the days of a window', () => {
  it.each<readonly [unknown, number]>([
    [undefined, 1],
    [null, 1],
    [{ recentSeconds: 1 }, 1],
    [{ recentSeconds: DAY }, 1],
    [{ recentSeconds: DAY + 1 }, 2],
    [{ recentSeconds: 366 * DAY }, 366],
    [{ recentSeconds: 367 * DAY }, 366],
    [{ recentSeconds: -1 }, 1],
    [{ interval: { from: T0, to: T0 + 30 * DAY } }, 30],
    [{ interval: { from: 0, to: T0 } }, 366],
    [{ interval: { from: T0, to: 0 } }, 1],
    [{ startingAt: { from: T0, seconds: 2 * DAY } }, 2],
    [{ dates: { from: 'Jul 15 2026 10:00:00 AM', to: 'Jul 18 2026 10:00:00 AM' } }, 3],
    [{ dates: { from: '2026-07-15', to: '2026-07-18T00:00+02:00' } }, 3],
    [{ dates: { from: 'yesterday', to: 'Jul 18 2026 10:00:00 AM' } }, 1],
    [{ preset: 'TODAY' }, 1],
    [{ preset: 'YESTERDAY' }, 1],
    [{ preset: 'LATEST_TOPPER_BUCKET' }, 1],
    [{ preset: 'ALL_AVAILABLE' }, 366],
  ])('of %j are %d', (given, days) => {
    expect(windowDays(given)).toBe(days);
  });
});

describe('over HTTP', () => {
  let lab: TestService;

  beforeAll(async () => {
    lab = await startLab({
      groups: [group(1)],
      lines: [{ group: GROUP, key: 'k', ts: T0, values: { 0: 1 } }],
    });
  });

  afterAll(() => lab.close());

  const dashboard = (toppers: number, selection: string): string =>
    inGroup(Array.from({ length: toppers }, (_, i) => `t${i}: ${selection}`).join(' '));

  it('a dashboard of 60 toppers of 100 keys with percentiles over 30 days passes', async () => {
    const document = dashboard(60, DOCUMENTED);
    expect(costOf(document)).toBe(60 * 3_430);
    expect(await lab.data(document)).toMatchObject({ context: { counterGroup: { t59: {} } } });
    const more = DOCUMENTED.replace('label', 'peak previous { change }');
    expect(costOf(dashboard(60, more))).toBeLessThan(LIMITS.graphqlCost);
  });

  /** Each topper costs its number of keys, and one more for its day. */
  const exactly = `query ($a: Int!, $b: Int!) { context(name: "lab") { counterGroup(guid: "${GROUP}") {
    ${Array.from({ length: 99 }, (_, i) => `t${i}: topper(maxItems: $a) { total }`).join(' ')}
    topper(maxItems: $a) { total } last: topper(maxItems: $b) { total } } } }`;
  const most = { a: 9_990, b: 1_000_000 - 100 * 9_991 - 1 };

  it('a query that costs exactly the limit passes, one unit more is LIMIT', async () => {
    expect(await lab.data(exactly, most)).toMatchObject({ context: { counterGroup: {} } });
    const statements = lab.watchStatements();
    const { status, text } = await lab.graphql(exactly, { ...most, b: most.b + 1 });
    expect(JSON.parse(text)).toMatchObject({
      errors: [
        {
          message: 'The cost of the query must be at most 1000000, got 1000001',
          extensions: { code: 'LIMIT' },
        },
      ],
    });
    expect(text).not.toContain('"data"');
    expect(status).toBe(400);
    expect(statements()).toEqual([]);
    // The cost with another request's variables is not cached.
    expect(await lab.data(exactly, most)).toMatchObject({ context: { counterGroup: {} } });
  });

  const IDS = 'query ($ids: [ID!]!) { nodes(ids: $ids) { id } }';
  const ids = (count: number) => ({ ids: Array.from({ length: count }, (_, i) => `id${i}`) });

  it('1,000 node ids pass, one more is LIMIT', async () => {
    expect(await lab.data(IDS, ids(1_000))).toEqual({ nodes: Array(1_000).fill(null) });
    const statements = lab.watchStatements();
    expect(await lab.graphql(IDS, ids(1_001))).toMatchObject({
      status: 400,
      errors: [{ message: 'The ids of `nodes` must be at most 1000, got 1001' }],
    });
    expect(statements()).toEqual([]);
  });

  const RANKS = inGroup(
    `topper(window: { startingAt: { from: ${T0}, seconds: 60 } }) {
      keys { percentiles(ranks: $ranks) { rank } } }`,
    '($ranks: [Float!]!)',
  );
  const ranks = (count: number) => ({ ranks: Array.from({ length: count }, (_, i) => i / 2) });

  it('101 percentile ranks pass, one more is LIMIT', async () => {
    const { context } = await lab.data<{
      context: { counterGroup: { topper: { keys: { percentiles: object[] }[] } } };
    }>(RANKS, ranks(101));
    expect(context.counterGroup.topper.keys[0]?.percentiles).toHaveLength(101);
    const statements = lab.watchStatements();
    expect(await lab.graphql(RANKS, ranks(102))).toMatchObject({
      status: 400,
      errors: [{ message: 'The ranks of `percentiles` must be at most 101, got 102' }],
    });
    expect(statements()).toEqual([]);
  });

  it.each([[undefined], [null], [''], ['Q'], ['Other'], [17], [['Q']], [{ Q: 1 }], [true]])(
    'no operation name gets around the limit: %j',
    async (operationName) => {
      const many = Array.from({ length: 1_001 }, (_, i) => `id${i}`);
      const body = JSON.stringify({
        query: IDS.replace('query', 'query Q'),
        variables: { ids: many },
        operationName,
      });
      const headers = { ...basic(ADA), 'content-type': 'application/json' };
      const { text } = await lab.call('/graphql', { method: 'POST', headers, body });
      expect(text).not.toContain('"data"');
      expect(JSON.parse(text)).toMatchObject({ errors: [{}] });
    },
  );

  const SHAPES: readonly (readonly [type: string, argument: string, value: string])[] = [
    ['WindowInput', 'window', '{ recentSeconds: {} }'],
    ['WindowInput', 'window', '{ recentSeconds: [{}] }'],
    ['WindowInput', 'window', '{ recentSeconds: { toString: 1, valueOf: 2 } }'],
    ['WindowInput', 'window', '{ interval: { from: {}, to: [] } }'],
    ['WindowInput', 'window', '{ startingAt: { seconds: {} } }'],
    ['WindowInput', 'window', '{ dates: { from: {}, to: { toString: "x" } } }'],
    ['Int!', 'maxItems', '{}'],
    ['PrefixInput', 'prefix', '{ ipv4: {} }'],
    ['RankBy!', 'rankBy', '{ PEAK: {} }'],
  ];

  it.each(SHAPES)(
    'a %s of a wrong shape is refused by name, signed in or not: %s: %s',
    async (type, name, value) => {
      const topper = (given: string) => `topper(${name}: ${given}) { total }`;
      const json: unknown = JSON.parse(value.replace(/(\w+):/g, '"$1":'));
      const requests: readonly (readonly [string, Record<string, unknown>])[] = [
        [inGroup(topper(value)), {}],
        [inGroup(topper('$v'), `($v: ${type})`), { v: json }],
        [inGroup(topper('$v'), `($v: ${type} = ${value})`), {}],
      ];
      for (const [query, variables] of requests) {
        const body = JSON.stringify({ query, variables });
        for (const credentials of [{}, basic(ADA)]) {
          const headers = { ...credentials, 'content-type': 'application/json' };
          const { text } = await lab.call('/graphql', { method: 'POST', headers, body });
          expect(text).toMatch(/"code":"(BAD_USER_INPUT|GRAPHQL_VALIDATION_FAILED)"/);
          expect(text).not.toContain('Internal error');
        }
      }
    },
  );

  it('variables of the wrong type are BAD_USER_INPUT, not LIMIT', async () => {
    const { errors } = await lab.graphql(RANKS, { ranks: ['many'] });
    expect(errors).toMatchObject([{ extensions: { code: 'BAD_USER_INPUT' } }]);
  });
});

describe('the settings', () => {
  it('lower the default and the maximum of maxItems', async () => {
    const service = await startLab({ groups: [group(1)], settings: { maxTopperItems: 5 } });
    const top = (items: string) => service.graphql(inGroup(`topper${items} { keys { key } }`));
    try {
      expect((await top('')).errors).toBeUndefined();
      expect((await top('(maxItems: 5)')).errors).toBeUndefined();
      expect((await top('(maxItems: 6)')).errors).toMatchObject([
        { message: 'maxItems must be an integer from 1 to 5, got 6' },
      ]);
    } finally {
      await service.close();
    }
  });

  it('set each of the limits', async () => {
    const limits = { tokens: 30, depth: 3, aliases: 1, rootFields: 2, directives: 1 };
    const service = await startLab({
      groups: [group(1)],
      settings: { graphql: { ...limits, cost: 20, nodeIds: 2 }, maxPercentileRanks: 1 },
    });
    try {
      const pairs: readonly (readonly [string, string])[] = [
        [`{ viewer { ${'a '.repeat(25)} } }`, `{ viewer { ${'a '.repeat(26)} } }`],
        ['{ viewer { contexts { name } } }', '{ viewer { contexts { pools { name } } } }'],
        ['{ a: viewer { username } }', '{ a: viewer { b: username } }'],
        ['{ __typename __typename }', '{ __typename __typename __typename }'],
        [
          '{ __typename @skip(if: true) }',
          '{ ... @skip(if: true) { __typename @skip(if: true) } }',
        ],
        [
          '{ context(name: "lab") { alertEvents(first: 20) { __typename } } }',
          '{ context(name: "lab") { alertEvents(first: 21) { __typename } } }',
        ],
        ['{ nodes(ids: ["a", "b"]) { id } }', '{ nodes(ids: ["a", "b", "c"]) { id } }'],
      ];
      for (const [good, bad] of pairs) {
        const codes = async (query: string) =>
          ((await service.graphql(query)).errors ?? []).map(({ extensions }) => extensions.code);
        expect(await codes(good)).not.toContain('LIMIT');
        expect(await codes(bad)).toEqual(['LIMIT']);
      }
    } finally {
      await service.close();
    }
  });
});
