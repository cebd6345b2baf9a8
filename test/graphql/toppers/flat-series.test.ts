import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { DAY, group, guidOf, meter, startLab, T0 } from '../../support/lab/lab.ts';
import type { Line, TestService } from '../../support/lab/service.ts';

const [GROUP, LONG, RATES] = [1, 2, 3].map(guidOf) as [string, string, string];

const METERS = [meter(2, 2), meter(4, 4), meter(5, 5), meter(11, 11), meter(12, 12)];

const line = (key: string, at: number, value: number, more: Partial<Line> = {}): Line => ({
  group: GROUP,
  key,
  ts: T0 + at,
  values: Object.fromEntries(METERS.map(({ id }) => [id, value])),
  ...more,
});

let lab: TestService;

beforeAll(async () => {
  lab = await startLab({
    groups: [
      group(1, { meters: METERS, sampling_rate: 2 }),
      group(2),
      group(3, { meters: [meter(0, 4)] }),
    ],
    lines: [
      line('a', 0, 10, { label: 'first' }),
      line('a', 600, 7),
      line('b', 300, 5, { label: 'second' }),
      line('c', 0, 2),
      line('c', 900, 1),
      { group: RATES, key: 'r', ts: T0, values: { 0: 6000 } },
      { group: RATES, key: 'r', ts: T0 + 600, values: { 0: 1200 } },
      { group: RATES, key: 'slow', ts: T0 + DAY, values: { 0: 500 } },
      { group: RATES, key: 'slower', ts: T0 + DAY + 240, values: { 0: 7 } },
      ...Array.from({ length: 60 }, (_, i) => ({
        group: LONG,
        key: `k${i}`,
        ts: T0 + i * (DAY / 10),
        values: { 0: 1 },
      })),
    ],
  });
});

afterAll(() => lab.close());

type Row = { at: number; key: string | null; label: string; value: number };
type Point = { at: number; value: number };

async function ask(args: string, step = '') {
  const { context } = await lab.data<{
    context: {
      counterGroup: {
        topper: {
          flatSeries: Row[];
          series: { at: number; others: number }[];
          keys: { key: string; label: string; series: Point[] }[];
        };
      };
    };
  }>(
    `{ context(name: "lab") { counterGroup(guid: "${GROUP}") {
      topper(${args} window: { interval: { from: ${T0}, to: ${T0 + 1200} } }) {
        flatSeries${step} { at key label value }
        series${step} { at others } keys { key label series${step} { at value } } } } } }`,
  );
  return context.counterGroup.topper;
}

describe('flatSeries', () => {
  it('has a row for each step of each listed key and of the others, by time and rank', async () => {
    const { flatSeries } = await ask('meter: 2, maxItems: 2,');
    expect(flatSeries.map(({ at, key, label, value }) => [at - T0, key, label, value])).toEqual([
      [0, 'a', 'first', 20],
      [0, 'b', 'second', 0],
      [0, null, 'others', 4],
      [300, 'a', 'first', 0],
      [300, 'b', 'second', 10],
      [300, null, 'others', 0],
      [600, 'a', 'first', 14],
      [600, 'b', 'second', 0],
      [600, null, 'others', 0],
      [900, 'a', 'first', 0],
      [900, 'b', 'second', 0],
      [900, null, 'others', 2],
    ]);
  });

  it.each(METERS.map(({ id }) => id))(
    'has the values of the series of the topper and of its keys: meter %i',
    async (id) => {
      for (const step of ['', '(step: 600)', '(step: 60)']) {
        const { flatSeries, series, keys } = await ask(`meter: ${id}, maxItems: 2,`, step);
        const rowsOf = (wanted: string | null) =>
          flatSeries.filter(({ key }) => key === wanted).map(({ at, value }) => ({ at, value }));
        for (const { key, series: points } of keys) expect(rowsOf(key)).toEqual(points);
        expect(rowsOf(null)).toEqual(series.map(({ at, others }) => ({ at, value: others })));
        const points = keys.reduce((sum, key) => sum + key.series.length, series.length);
        expect(flatSeries).toHaveLength(points);
        expect(flatSeries.map(({ at }) => at)).toEqual(
          flatSeries.map(({ at }) => at).toSorted((a, b) => a - b),
        );
      }
    },
  );

  it('refuses an invalid step, and more rows than it may have', async () => {
    const refused = (args: string) =>
      lab.graphql(
        `{ context(name: "lab") { counterGroup(guid: "${LONG}") {
          topper(window: { preset: ALL_AVAILABLE }, maxItems: 60) {
            total flatSeries(${args}) { at } } } } }`,
      );
    const odd = await refused('step: 61');
    expect(odd.errors?.map(({ extensions, path }) => [extensions.code, path?.at(-1)])).toEqual([
      ['BAD_USER_INPUT', 'flatSeries'],
    ]);
    expect(odd.data).toMatchObject({
      context: { counterGroup: { topper: { total: 60, flatSeries: null } } },
    });
    // Six days of 61 series: 61 × 8,497 minutes. The shortest step that gives at most
    // 100,000 ÷ 61 = 1,639 points is six minutes, with 1,417.
    const short = await refused('step: 60');
    expect(short.errors?.[0]?.message).toBe(
      'step must be long enough that 61 series have at most 100000 rows, the shortest is 360, ' +
        'got "60, which gives 518317"',
    );
    expect((await refused('step: 300')).errors).toHaveLength(1);
    expect((await refused('step: 360')).errors).toBeUndefined();
  });
});

describe('averageRate', () => {
  const rates = async (index: number, args: string, from: number, to: number) => {
    const { context } = await lab.data<{
      context: {
        counterGroup: {
          topper: { flatSeries: { at: number; key: string; averageRate: number }[] };
        };
      };
    }>(
      `{ context(name: "lab") { counterGroup(guid: "${GROUP}") {
        topper(meter: ${index}, maxItems: 1, window: { interval: { from: ${T0 + from}, to: ${T0 + to} } }) {
          flatSeries${args} { at key averageRate } } } } }`,
    );
    const { flatSeries } = context.counterGroup.topper;
    return flatSeries.map(({ at, key, averageRate }) => [at - T0, key, averageRate]);
  };

  it('of a counter is the amount of each step per second', async () => {
    expect(await rates(2, '', 0, 1200)).toEqual([
      // a: 20 and 14; b and c: 4 + 0, 10, 0 and 2. Only one minute of the last step has data.
      [0, 'a', 20 / 300],
      [0, null, 4 / 300],
      [300, 'a', 0],
      [300, null, 10 / 300],
      [600, 'a', 14 / 300],
      [600, null, 0],
      [900, 'a', 0],
      [900, null, 2 / 60],
    ]);
  });

  async function ofRates(from: number, seconds: number, step: number) {
    const { context } = await lab.data<{
      context: { counterGroup: { topper: { flatSeries: unknown[] } } };
    }>(
      `{ context(name: "lab") { counterGroup(guid: "${RATES}") {
        topper(maxItems: 1, window: { startingAt: { from: ${from}, seconds: ${seconds} } }) {
          flatSeries(step: ${step}) { at key value averageRate } } } } }`,
    );
    return context.counterGroup.topper.flatSeries;
  }

  const row = (at: number, key: string | null, value: number, averageRate: number) => ({
    at,
    key,
    value,
    averageRate,
  });

  it('of a rate counter is the same, although values are already divided by the step', async () => {
    // Volumes of 6000 and 0, then of 1200 and 0: the window has one minute of the second step.
    expect(await ofRates(T0, 660, 600)).toEqual([
      row(T0, 'r', 10, 10),
      row(T0, null, 0, 0),
      row(T0 + 600, 'r', 2, 20),
      row(T0 + 600, null, 0, 0),
    ]);
  });

  it('of a rate counter is exact, although values are rounded', async () => {
    expect(await ofRates(T0 + DAY, 300, 300)).toEqual([
      row(T0 + DAY, 'slow', 2, 500 / 300),
      row(T0 + DAY, null, 0, 7 / 300),
    ]);
  });

  it('covers the buckets that begin in the window, whatever its edges', async () => {
    // From the bucket at 60 to the one at 600, which begins just before the end.
    expect(await rates(2, '(step: 600)', 1, 601)).toEqual([
      [0, 'a', 0],
      [0, null, 10 / 540],
      [600, 'a', 14 / 60],
      [600, null, 0],
    ]);
  });

  it.each([5, 11, 12])('is null for other types: meter %i', async (index) => {
    const found = await rates(index, '', 0, 1200);
    expect(found.length).toBeGreaterThan(0);
    for (const [, , rate] of found) expect(rate).toBeNull();
  });
});

describe('flatSeries with maxPoints', () => {
  /** The starts of its steps, relative to T0. */
  async function steps(guid: string, args: string, window = 'preset: ALL_AVAILABLE') {
    const answer = await lab.data<{
      context: { counterGroup: { topper: { flatSeries: Row[] } } };
    }>(
      `{ context(name: "lab") { counterGroup(guid: "${guid}") {
        topper(meter: ${guid === LONG ? 0 : 2}, maxItems: 60, window: { ${window} }) {
          flatSeries${args} { at key } } } } }`,
    );
    const { flatSeries } = answer.context.counterGroup.topper;
    return [...new Set(flatSeries.map(({ at }) => at - T0))];
  }

  /** The data of the group LONG lie in the buckets from T0 to this one. */
  const LAST = T0 + 59 * (DAY / 10);
  const grid = (step: number) => {
    const first = Math.floor(T0 / step) * step;
    const count = Math.floor(LAST / step) - Math.floor(T0 / step) + 1;
    return Array.from({ length: count }, (_, i) => first + i * step - T0);
  };

  // Buckets have 60 seconds, topper buckets 300; 61 series may have at most 1,639 points each.
  // A hundred steps of 5,100 seconds are long enough for the data, but their grid needs 101.
  it.each([
    ['that is the number of points of a multiple of the topper bucket', '(maxPoints: 850)', 600],
    ['that is one less than such a number', '(maxPoints: 849)', 900],
    ['that is small', '(maxPoints: 100)', 5_400],
    ['that is more than the limit of rows', '(maxPoints: 1000000)', 600],
    ['that is the largest Int', '(maxPoints: 2147483647)', 600],
    ['and a step that is the largest Int', '(step: 2147483647, maxPoints: 1)', 2_147_483_700],
    ['and a step that fits', '(step: 3600, maxPoints: 150)', 3_600],
    [
      'and a step that fits and is not a multiple of the topper bucket',
      '(step: 420, maxPoints: 9999)',
      420,
    ],
    ['and a step that is not a multiple of the bucket', '(step: 4000, maxPoints: 150)', 4_020],
    ['and a step that is too short', '(step: 1, maxPoints: 100)', 5_400],
    ['and a step that gives too many rows', '(step: 60, maxPoints: 1000000)', 600],
    ['and a step longer than needed', '(step: 86400, maxPoints: 100)', DAY],
    ['that is null', '(step: 7200, maxPoints: null)', 7_200],
  ])('%s', async (_, args, step) => {
    expect(await steps(LONG, args)).toEqual(grid(step));
  });

  it('changes nothing where the points fit, and is exact where they do not', async () => {
    const usual = await ask('meter: 2, maxItems: 2,');
    const values = async (args: string) => (await ask('meter: 2, maxItems: 2,', args)).flatSeries;
    const flat = async (args: string) => {
      const document = `{ context(name: "lab") { counterGroup(guid: "${GROUP}") {
        topper(meter: 2, maxItems: 2, window: { interval: { from: ${T0}, to: ${T0 + 1200} } }) {
          flatSeries${args} { at key label value } } } } }`;
      const { context } = await lab.data<{
        context: { counterGroup: { topper: { flatSeries: Row[] } } };
      }>(document);
      return context.counterGroup.topper.flatSeries;
    };
    expect(await flat('(maxPoints: 4)')).toEqual(usual.flatSeries);
    expect(await flat('(maxPoints: 3)')).toEqual(await values('(step: 600)'));
    expect(await flat('(maxPoints: 2)')).toEqual(await values('(step: 600)'));
    expect(await flat('(step: 60, maxPoints: 20)')).toEqual(await values('(step: 60)'));
  });

  it('is empty where there are no data', async () => {
    const none = `interval: { from: ${T0 - DAY}, to: ${T0} }`;
    expect(await steps(LONG, '(maxPoints: 1)', none)).toEqual([]);
  });

  it.each([
    ['(maxPoints: 0)', 'maxPoints must be a positive number of points, got 0'],
    ['(maxPoints: -1)', 'maxPoints must be a positive number of points, got -1'],
    ['(step: 0, maxPoints: 5)', 'step must be a positive number of seconds, got 0'],
    ['(step: -60, maxPoints: 5)', 'step must be a positive number of seconds, got -60'],
    ['(step: 61)', 'step must be a positive multiple of the bucket size, 60, got 61'],
  ])('%s is BAD_USER_INPUT', async (args, message) => {
    const { errors } = await lab.graphql(
      `{ context(name: "lab") { counterGroup(guid: "${LONG}") {
        topper(window: { preset: ALL_AVAILABLE }) { flatSeries${args} { at } } } } }`,
    );
    expect(errors?.map((error) => [error.message, error.extensions.code])).toEqual([
      [message, 'BAD_USER_INPUT'],
    ]);
  });
});
