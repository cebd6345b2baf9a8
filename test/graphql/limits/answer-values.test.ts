import { setImmediate as iteration } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
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
  message: `The values of all lists in one answer must be at most ${MOST}, got more`,
  extensions: { code: 'LIMIT' },
};

describe.each([
  ['by Yoga', 0],
  ['compiled', 1],
])('the values of an answer, %s', (_, compileAfter) => {
  let service: TestService;

  beforeAll(async () => {
    const settings = { answerValues: MOST, compileAfter, responseCacheBytes: 0 };
    service = await startTestService({ databaseUrl: lab.databaseUrl, settings });
  });

  afterAll(() => service.close());

  const ask = async (toppers: string) => {
    // With compileAfter 1, the second request takes the fast path.
    await service.graphql(inGroup(toppers));
    return service.graphql(inGroup(toppers));
  };

  const TEN = 'rank key label readable metric share peak volume averageRate description';

  it.each([
    ['ten fields of ten keys', `keys { ${TEN} }`],
    [
      'three values for each point of two series',
      'a: series { at total others } b: series { at total others }',
    ],
    ['four values for each row of a table', 'flatSeries(step: 3600) { at key label value }'],
    ['two values for each percentile', 'keys { percentiles(ranks: [50, 95]) { rank value } }'],
  ])('are within the limit: %s', async (_case, below) => {
    expect((await ask(topper(below))).errors).toBeUndefined();
  });

  it.each([
    ['one more field of each key', `keys { ${TEN} again: rank }`],
    ['the same with a fragment', `keys { ... on TopperKey { ${TEN} } again: rank }`],
    [
      'a third series',
      'a: series { at total others } b: series { at total others } c: series { at total others }',
    ],
    ['a longer table', 'flatSeries { at key label value }'],
    ['more percentiles', 'keys { percentiles(ranks: [1, 5, 50, 95, 99]) { rank value } }'],
  ])('exceed the limit: %s', async (_case, below) => {
    const { errors = [] } = await ask(topper(below));
    expect(errors.length).toBeGreaterThan(0);
    for (const error of errors) expect(error).toMatchObject(TOO_MANY);
  });

  it('include those of all lists of objects, however they are nested', async () => {
    // The group has one meter. An object takes 50 values besides its fields.
    const fields = (count: number) =>
      Array.from({ length: count }, (_, i) => `name${i}: name`).join(' ');
    expect((await ask(`meters { ${fields(49)} }`)).errors).toBeUndefined();
    const { errors = [] } = await ask('meters { counterGroup { meters { name } } }');
    expect(errors.length).toBeGreaterThan(0);
    for (const error of errors) expect(error).toMatchObject(TOO_MANY);
  });

  it('are counted over the whole answer: the first fields have values, the rest null', async () => {
    const answer = await ask(topper('keys { series { at value } }'));
    const { keys } = (answer.data as Data).context.counterGroup.topper;
    expect(keys.map(({ series }) => series?.length)).toEqual([
      12,
      12,
      12,
      ...Array(7).fill(undefined),
    ]);
    expect(answer.errors).toHaveLength(7);
  });
});

it.each([
  ['by Yoga', 0],
  ['compiled', 1],
])('an answer that exceeds the limit leaves no error unhandled, %s', async (_, compileAfter) => {
  // The last step fails at once, while the groups of the steps before it are still being loaded.
  const settings = { answerValues: 1650, compileAfter, responseCacheBytes: 0 };
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

type Data = {
  context: { counterGroup: { topper: { keys: { series: unknown[] | null }[] } } };
};
