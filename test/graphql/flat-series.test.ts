import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { DAY, group, guidOf, meter, startLab, T0 } from '../support/lab.ts';
import type { Line, TestService } from '../support/service.ts';

const [GROUP, LONG] = [1, 2].map(guidOf) as [string, string];

const METERS = [meter(2, 2), meter(4, 4), meter(5, 5), meter(11, 11), meter(12, 12)];

const line = (key: string, at: number, value: number, more: Partial<Line> = {}): Line => ({
  ...{ group: GROUP, key, ts: T0 + at },
  values: Object.fromEntries(METERS.map(({ id }) => [id, value])),
  ...more,
});

let lab: TestService;

beforeAll(async () => {
  lab = await startLab({
    groups: [group(1, { meters: METERS, sampling_rate: 2 }), group(2)],
    lines: [
      line('a', 0, 10, { label: 'first' }),
      line('a', 600, 7),
      line('b', 300, 5, { label: 'second' }),
      line('c', 0, 2),
      line('c', 900, 1),
      ...Array.from({ length: 60 }, (_, i) => ({
        ...{ group: LONG, key: `k${i}`, ts: T0 + i * (DAY / 10), values: { 0: 1 } },
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

  it('refuses a step that cannot be, and more rows than it may have', async () => {
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
    // Six days of 61 series: 61 × 8,497 minutes, 61 × 1,700 topper buckets, 61 × 850 of two each.
    const short = await refused('step: 60');
    expect(short.errors?.[0]?.message).toMatch(
      /^step must be so long that 61 series have at most 100000 rows, got "60, which gives \d+"$/,
    );
    expect((await refused('step: 300')).errors).toHaveLength(1);
    expect((await refused('step: 600')).errors).toBeUndefined();
  });
});
