import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { DAY, group, guidOf, meter, startLab, T0 } from '../../support/lab/lab.ts';
import type { Line, TestService } from '../../support/lab/service.ts';
import { FUZZ_CASES } from '../../support/random/fuzz-cases.ts';

const [GROUP, ROUND, LONG] = [1, 2, 3].map(guidOf) as [string, string, string];

const METERS = [meter(2, 2), meter(4, 4), meter(5, 5), meter(11, 11), meter(12, 12)];

const line = (guid: string, key: string, at: number, values: Line['values'], count = 1): Line => ({
  group: guid,
  key,
  ts: T0 + at,
  values,
  count,
});

let lab: TestService;

beforeAll(async () => {
  lab = await startLab({
    groups: [
      group(1, { meters: METERS, sampling_rate: 2 }),
      group(2, { meters: METERS }),
      group(3, { bucket_size: 1, topper_bucket_size: 60 }),
    ],
    lines: [
      line(GROUP, 'a', 0, { 2: 10, 4: 900, 5: 3, 11: 3, 12: 3 }),
      line(GROUP, 'a', 240, { 2: 1, 4: 300, 5: 4, 11: 4, 12: 4 }, 2),
      line(GROUP, 'a', 600, { 2: 5, 4: 600, 5: -1, 11: -1, 12: -1 }),
      line(GROUP, 'b', 0, { 2: 4, 4: 150, 5: 9, 11: 9, 12: 9 }, 3),
      line(GROUP, 'b', 900, { 2: 7, 4: 150, 11: 2, 12: 2 }),
      line(GROUP, 'c', 60, { 2: 2, 4: 300, 5: -8, 11: -8, 12: -8 }),
      line(GROUP, 'c', 1199, { 2: 1, 4: 300 }),
      ...['a', 'b', 'c'].map((key) => line(ROUND, key, 0, { 4: 150 })),
      line(LONG, 'k', 0, { 0: 1 }),
      line(LONG, 'k', 10_000, { 0: 1 }),
    ],
  });
});

afterAll(() => lab.close());

type Point = { at: number; value: number };
type Sum = { at: number; total: number; others: number };

/** Series of a topper, over [T0, T0 + 1200) by default, with times relative to T0. */
async function series(args: string, step: string, guid = GROUP) {
  const window = /window/.test(args)
    ? ''
    : `window: { interval: { from: ${T0}, to: ${T0 + 1200} } }`;
  const { context } = await lab.data<{
    context: {
      counterGroup: { topper: { series: Sum[]; keys: { key: string; series: Point[] }[] } };
    };
  }>(
    `{ context(name: "lab") { counterGroup(guid: "${guid}") { topper(${args} ${window}) {
      series${step} { at total others } keys { key series${step} { at value } } } } } }`,
  );
  const { topper } = context.counterGroup;
  return {
    sums: topper.series.map(({ at, total, others }) => [at - T0, total, others]),
    keys: Object.fromEntries(
      topper.keys.map(({ key, series }) => [key, series.map(({ at, value }) => [at - T0, value])]),
    ),
  };
}

describe('the series of a topper and its keys', () => {
  it('of a counter has a point for every topper bucket, 0 where there is no reading', async () => {
    expect(await series('meter: 2, maxItems: 2', '')).toEqual({
      sums: [
        [0, 34, 4],
        [300, 0, 0],
        [600, 10, 0],
        [900, 16, 2],
      ],
      keys: {
        a: [
          [0, 22],
          [300, 0],
          [600, 10],
          [900, 0],
        ],
        b: [
          [0, 8],
          [300, 0],
          [600, 0],
          [900, 14],
        ],
      },
    });
  });

  it('of a rate is the volume of each step ÷ the step', async () => {
    expect(await series('meter: 4, maxItems: 1', '')).toEqual({
      // Volumes 1650, 0, 600 and 450, times two, ÷ 300.
      sums: [
        [0, 11, 3],
        [300, 0, 0],
        [600, 4, 0],
        [900, 3, 3],
      ],
      keys: {
        a: [
          [0, 8],
          [300, 0],
          [600, 4],
          [900, 0],
        ],
      },
    });
    expect((await series('meter: 4, maxItems: 1', '(step: 600)')).keys).toEqual({
      a: [
        [0, 4],
        [600, 2],
      ],
    });
    expect((await series('meter: 4, maxItems: 1', '(step: 60)')).keys['a']?.slice(0, 6)).toEqual([
      [0, 30],
      [60, 0],
      [120, 0],
      [180, 0],
      [240, 10],
      [300, 0],
    ]);
  });

  it('of the other types leaves out a step without readings', async () => {
    expect(await series('meter: 5, maxItems: 1', '')).toEqual({
      // All: (3 + 4 + 9 − 8) ÷ 7 and −1. Without b, which has 9 ÷ 3: (3 + 4 − 8) ÷ 4, and a's −1.
      sums: [
        [0, 2, 0],
        [600, -2, -2],
      ],
      keys: { b: [[0, 6]] },
    });
    expect(await series('meter: 11, maxItems: 1', '')).toEqual({
      sums: [
        [0, 18, 8],
        [600, -2, -2],
        [900, 4, 0],
      ],
      keys: {
        b: [
          [0, 18],
          [900, 4],
        ],
      },
    });
    expect(await series('meter: 12, maxItems: 1', '')).toEqual({
      sums: [
        [0, -16, -16],
        [600, -2, -2],
        [900, 4, 0],
      ],
      keys: {
        b: [
          [0, 18],
          [900, 4],
        ],
      },
    });
  });

  it('takes a step that is a multiple of bucketSize, aligned to the epoch', async () => {
    const window = `window: { interval: { from: ${T0 + 60}, to: ${T0 + 661} } }`;
    // A point is at the start of its step, even if that is before the window.
    expect((await series(`meter: 2, ${window}`, '(step: 240)')).keys).toEqual({
      a: [
        [0, 0],
        [240, 2],
        [480, 10],
      ],
      c: [
        [0, 4],
        [240, 0],
        [480, 0],
      ],
    });
    expect((await series(`meter: 2, ${window}`, '')).sums).toEqual([
      [0, 6, 0],
      [300, 0, 0],
      [600, 10, 0],
    ]);
  });

  it('has only the buckets of the window that lie in the available interval', async () => {
    const window = `window: { interval: { from: 0, to: ${T0 + 86_400} } }`;
    expect((await series(`meter: 2, ${window}`, '')).sums.map(([at]) => at)).toEqual([
      0, 300, 600, 900,
    ]);
  });

  it('stacks up to the total: others are the total less the listed keys', async () => {
    // Each key has half a unit, shown as 1; the three together have 1.5, shown as 2.
    const window = `window: { interval: { from: ${T0}, to: ${T0 + 300} } }`;
    expect(await series(`meter: 4, maxItems: 2, ${window}`, '', ROUND)).toEqual({
      sums: [[0, 2, 0]],
      keys: { a: [[0, 1]], b: [[0, 1]] },
    });
  });

  it('stacks up with any number of keys and any step, for counters and rates', async () => {
    const arbitrary = fc.tuple(
      fc.constantFrom(2, 4),
      fc.integer({ min: 1, max: 4 }),
      fc.constantFrom(60, 120, 180, 300, 420, 600, 1200, 86_400),
      fc.integer({ min: T0 - 100, max: T0 + 1000 }),
      fc.integer({ min: 1, max: 1500 }),
    );
    const stacks = fc.asyncProperty(arbitrary, async ([index, maxItems, step, from, seconds]) => {
      const window = `window: { startingAt: { from: ${from}, seconds: ${seconds} } }`;
      const args = `meter: ${index}, maxItems: ${maxItems}, ${window}`;
      const { sums, keys } = await series(args, `(step: ${step})`);
      const listed = Object.values(keys);
      for (const [i, [at, total = 0, others = 0]] of sums.entries()) {
        expect(listed.every((points) => points[i]?.[0] === at)).toBe(true);
        expect(listed.reduce((sum, points) => sum + (points[i]?.[1] ?? 0), others)).toBe(total);
      }
    });
    await fc.assert(stacks, { numRuns: Math.ceil(FUZZ_CASES / 2) });
  });

  it('of a counter adds up to its metric, and the total, at any step', async () => {
    const window = `window: { startingAt: { from: ${T0 + 60}, seconds: 1000 } }`;
    const asked = { counter_group: GROUP, meter: 2, window_fromts: T0 + 60, window_seconds: 1000 };
    const answer = await lab.topper(asked);
    const metrics = answer.keys.map(({ key, metric }) => [key, Number(metric)] as const);
    const sum = (points: readonly (readonly number[])[]) =>
      points.reduce((total, [, value = 0]) => total + value, 0);
    for (const step of [60, 180, 300, 420, 3600]) {
      const { sums, keys } = await series(`meter: 2, ${window}`, `(step: ${step})`);
      expect(Object.entries(keys).map(([key, points]) => [key, sum(points)])).toEqual(metrics);
      expect(sum(sums)).toBe(metrics.reduce((total, [, metric]) => total + metric, 0));
    }
  });

  it('has the peak as its largest value', async () => {
    for (const index of [2, 4, 5, 11, 12]) {
      const { context } = await lab.data<{
        context: { counterGroup: { topper: { keys: { peak: number; series: Point[] }[] } } };
      }>(
        `{ context(name: "lab") { counterGroup(guid: "${GROUP}") { topper(meter: ${index},
          window: { preset: ALL_AVAILABLE }) { keys { peak series { at value } } } } } }`,
      );
      for (const { peak, series } of context.counterGroup.topper.keys) {
        expect(peak).toBe(Math.max(...series.map(({ value }) => value)));
      }
    }
  });
});

describe('a step', () => {
  const ask = (args: string, step: number, guid = GROUP) =>
    lab.graphql<{ context: { counterGroup: { topper: { series: unknown[] | null } } } }>(
      `{ context(name: "lab") { counterGroup(guid: "${guid}") { topper(${args}) {
        total series(step: ${step}) { at } keys { key series(step: ${step}) { at } } } } } }`,
    );

  it.each([0, -60, 1, 59, 61, 90, 301])('of %d is BAD_USER_INPUT on the series', async (step) => {
    const { data, errors } = await ask(
      'meter: 2, maxItems: 1, window: { recentSeconds: 1200 }',
      step,
    );
    expect(data).toMatchObject({
      context: { counterGroup: { topper: { series: null, keys: [{ key: 'a', series: null }] } } },
    });
    expect(errors?.map(({ extensions }) => extensions.code)).toEqual([
      'BAD_USER_INPUT',
      'BAD_USER_INPUT',
    ]);
    expect(errors?.map(({ path }) => path?.at(-1))).toEqual(['series', 'series']);
  });

  it('may give 10,000 points; one that gives more is refused, not cut silently', async () => {
    const most = await ask(`window: { startingAt: { from: ${T0}, seconds: 10000 } }`, 1, LONG);
    expect(most.errors).toBeUndefined();
    expect(most.data.context.counterGroup.topper.series).toHaveLength(10_000);
    const more = await ask(`window: { startingAt: { from: ${T0}, seconds: 10001 } }`, 1, LONG);
    expect(more.data.context.counterGroup.topper.series).toBeNull();
    const message =
      'step must be long enough for at most 10000 points, the shortest is 2, ' +
      'got "1, which gives 10001"';
    expect(more.errors?.map((error) => [error.message, error.extensions.code])).toEqual([
      [message, 'BAD_USER_INPUT'],
      [message, 'BAD_USER_INPUT'],
    ]);
    const coarser = await ask(`window: { startingAt: { from: ${T0}, seconds: 10001 } }`, 2, LONG);
    expect(coarser.data.context.counterGroup.topper.series).toHaveLength(5001);
  });

  it('that is too short for all keys together is refused with the shortest valid one', async () => {
    const keys = Array.from({ length: 200 }, (_, i) => `k${i}`);
    await lab.importSamples(
      keys.map((key) => ({ group: LONG, key, ts: T0 + DAY, values: { 0: 1 } })),
    );
    const window = `window: { startingAt: { from: ${T0 + DAY - 9_000}, seconds: 9001 } }`;
    const series = (step: number) =>
      lab.graphql(
        `{ context(name: "lab") { counterGroup(guid: "${LONG}") { topper(maxItems: 200, ${window}) {
          keys { series(step: ${step}) { at } } } } } }`,
      );
    const { errors } = await series(1);
    expect(new Set(errors?.map(({ message }) => message))).toEqual(
      new Set([
        'step must be long enough that 200 keys have at most 1000000 points together, ' +
          'the shortest is 2, got "1, which gives 1800200"',
      ]),
    );
    expect((await series(2)).errors).toBeUndefined();
  });
});
