import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Integer } from '../../support/http/answers.ts';
import type { RestParameters } from '../../support/http/rest-parameters.ts';
import { group, guidOf, meter, startLab, T0 } from '../../support/lab/lab.ts';
import type { Line, TestService } from '../../support/lab/service.ts';

const [GRID, LONG, SAMPLED, LATE, YEARS] = [1, 2, 3, 4, 5].map(guidOf) as [
  string,
  string,
  string,
  string,
  string,
];

const METERS = [meter(2, 2), meter(4, 4), meter(5, 5), meter(11, 11), meter(12, 12)];

let lab: TestService;

/** Key k of a group with buckets of 60 and topper buckets of 300; `other` extends the group. */
const gridLines = (guid: string): Line[] => [
  { group: guid, key: 'k', ts: T0, values: { 2: 4, 4: 100, 5: 1, 11: -9, 12: 9 } },
  { group: guid, key: 'k', ts: T0 + 240, values: { 2: 6, 4: 50, 5: 2, 11: -3, 12: 3 } },
  { group: guid, key: 'k', ts: T0 + 600, values: { 2: 30, 4: 449, 5: -3, 11: 5, 12: 5 }, count: 2 },
  { group: guid, key: 'k', ts: T0 + 900, values: { 2: 20, 4: 450, 11: 0 }, probe: 'p1' },
  { group: guid, key: 'other', ts: T0 + 1499, values: { 2: 1, 11: 1 } },
];

beforeAll(async () => {
  lab = await startLab({
    groups: [
      group(1, { meters: METERS }),
      group(2, { topper_bucket_size: 60 }),
      group(3, { meters: METERS, sampling_rate: 7 }),
      group(4),
      group(5),
    ],
    lines: [
      ...gridLines(GRID),
      ...gridLines(SAMPLED),
      ...Array.from({ length: 1000 }, (_, i) => ({
        group: LONG,
        key: 'k',
        ts: T0 + i * 60,
        values: { 0: ((i * 7) % 1000) + 1 },
      })),
      { group: LATE, key: 'k', ts: T0 + 240, values: { 0: 3 } },
      { group: LATE, key: 'k', ts: T0 + 360, values: { 0: 5 } },
      { group: YEARS, key: 'k0', ts: 700_000_000, values: { 0: 1 } },
      ...Array.from({ length: 500 }, (_, i) => ({
        group: YEARS,
        key: `k${i}`,
        ts: T0,
        values: { 0: 1000 - i },
      })),
    ],
  });
});

afterAll(() => lab.close());

const ALL = { window_fromts: T0, window_seconds: 1500 };

async function percentiles(parameters: RestParameters): Promise<Record<number, Integer>> {
  const { keys } = await lab.topper({ key_filter: '^k$', ...ALL, ...parameters });
  const ofKey = keys[0]?.percentiles ?? [];
  return Object.fromEntries(ofKey.map(({ rank, value }) => [rank, value]));
}

/** The whole series in ascending order: a rank in the middle of each step finds its value. */
async function seriesOf(count: number, parameters: RestParameters): Promise<Integer[]> {
  const ranks = Array.from({ length: count }, (_, i) => ((i + 0.5) * 100) / count);
  const values = await percentiles({ ...parameters, get_percentiles: ranks });
  return ranks.map((rank) => values[rank] ?? Number.NaN);
}

describe('percentiles (decision 27)', () => {
  it('are present only when requested', async () => {
    const { keys } = await lab.topper({ counter_group: GRID, meter: 2, ...ALL });
    expect(keys.some((key) => 'percentiles' in key)).toBe(false);
  });

  it('are items of rank and value, in the order of the request', async () => {
    const get_percentiles = '100,0,50.5';
    const { keys } = await lab.topper({ counter_group: GRID, meter: 2, ...ALL, get_percentiles });
    expect(keys.map(({ percentiles }) => percentiles)).toEqual([
      [
        { rank: 100, value: 30 },
        { rank: 0, value: 0 },
        { rank: 50.5, value: 10 },
      ],
      [
        { rank: 100, value: 1 },
        { rank: 0, value: 0 },
        { rank: 50.5, value: 0 },
      ],
    ]);
  });

  it.each([
    // The topper buckets of k are 10, 0, 30, 20 and 0; ascending 0, 0, 10, 20, 30.
    [0, 0],
    [0.001, 0],
    [20, 0],
    [40, 0],
    [40.0001, 10],
    [60, 10],
    [60.1, 20],
    [80, 20],
    [80.1, 30],
    [99.9, 30],
    [100, 30],
  ])('of rank %d take the nearest rank', async (rank, value) => {
    const asked = { counter_group: GRID, meter: 2, get_percentiles: rank };
    expect(await percentiles(asked)).toEqual({ [rank]: value });
  });

  it('hit the exact position even where decimal fractions are inexact', async () => {
    // 1000 topper buckets of the values 1 to 1000.
    const window = { window_fromts: T0, window_seconds: 60_000 };
    const ranks = [0, 0.1, 0.7, 1.4, 2.8, 5.6, 7, 14, 28, 29, 33.3, 55, 56.7, 57, 58, 99.9, 100];
    const exact = ranks.map((rank) => [rank, Math.max(1, Math.round(rank * 10))]);
    const asked = { counter_group: LONG, ...window, get_percentiles: ranks };
    expect(await percentiles(asked)).toEqual(Object.fromEntries(exact));
    const above = [0.05, 0.11, 28.01, 99.91];
    expect(await percentiles({ ...asked, get_percentiles: above })).toEqual({
      0.05: 1,
      0.11: 2,
      28.01: 281,
      99.91: 1000,
    });
  });
});

describe('the topper buckets behind percentiles', () => {
  it('of a counter count 0 where there is no reading', async () => {
    expect(await seriesOf(5, { counter_group: GRID, meter: 2 })).toEqual([0, 0, 10, 20, 30]);
  });

  it('of a rate are volumes ÷ 300, half up', async () => {
    // 150 ÷ 300 = 0.5, none, 449 ÷ 300 = 1.497, 450 ÷ 300 = 1.5, none.
    expect(await seriesOf(5, { counter_group: GRID, meter: 4 })).toEqual([0, 0, 1, 1, 2]);
  });

  it('of the other types are left out where there is no reading', async () => {
    // (1 + 2) ÷ 2 = 1.5 and −3 ÷ 2 = −1.5, half up.
    expect(await seriesOf(2, { counter_group: GRID, meter: 5 })).toEqual([-1, 2]);
    expect(await seriesOf(3, { counter_group: GRID, meter: 11 })).toEqual([-3, 0, 5]);
    expect(await seriesOf(2, { counter_group: GRID, meter: 12 })).toEqual([3, 5]);
  });

  it('are multiplied by the sampling rate before they are rounded (decision 28)', async () => {
    expect(await seriesOf(5, { counter_group: SAMPLED, meter: 2 })).toEqual([0, 0, 70, 140, 210]);
    // 1050, 3143 and 3150 ÷ 300.
    expect(await seriesOf(5, { counter_group: SAMPLED, meter: 4 })).toEqual([0, 0, 4, 10, 11]);
    // 21 ÷ 2 and −21 ÷ 2.
    expect(await seriesOf(2, { counter_group: SAMPLED, meter: 5 })).toEqual([-10, 11]);
    expect(await seriesOf(3, { counter_group: SAMPLED, meter: 11 })).toEqual([-21, 0, 35]);
  });

  it.each([
    [
      'begin with the part of the first that lies in the window',
      T0 + 60,
      T0 + 1500,
      [0, 0, 6, 20, 30],
    ],
    [
      'begin with the second if no bucket of the first starts in the window',
      T0 + 241,
      T0 + 1500,
      [0, 0, 20, 30],
    ],
    ['end with the part of the last that lies in the window', T0, T0 + 601, [0, 10, 30]],
    ['exclude one that starts at the end of the window', T0, T0 + 600, [0, 10]],
    ['include a last one of which a single bucket is inside', T0, T0 + 301, [0, 10]],
    ['may be a single bucket', T0 + 240, T0 + 300, [6]],
  ])('%s', async (_, window_fromts, window_tots, expected) => {
    const window = { window_fromts, window_tots, window_seconds: '' };
    const asked = { counter_group: GRID, meter: 2, ...window };
    expect(await seriesOf(expected.length, asked)).toEqual(expected);
  });

  it('are only those inside the available interval of the group', async () => {
    const wide = { window_fromts: 0, window_tots: T0 + 1_000_000, window_seconds: '' };
    expect(await seriesOf(5, { counter_group: GRID, meter: 2, ...wide })).toEqual([
      0, 0, 10, 20, 30,
    ]);
    // Its data begins within a topper bucket, and ends within the next.
    expect(await seriesOf(2, { counter_group: LATE, ...wide })).toEqual([3, 5]);
    const part = { counter_group: LATE, window_fromts: T0, window_tots: T0 + 300 };
    expect(await seriesOf(1, { ...part, window_seconds: '' })).toEqual([3]);
  });

  it('are only those inside the interval of the probe when one is given', async () => {
    const asked = { counter_group: GRID, meter: 2, probe_id: 'p1' };
    expect(await seriesOf(1, asked)).toEqual([20]);
    expect(await percentiles({ ...asked, get_percentiles: 0 })).toEqual({ 0: 20 });
  });

  it('may be millions without a reading, which count as 0 and cost nothing', async () => {
    const { keys } = await lab.topper({
      counter_group: YEARS,
      maxitems: 500,
      get_percentiles: '50,100',
      window_fromts: 0,
      window_tots: T0 + 86_400,
    });
    expect(keys).toHaveLength(500);
    expect(keys[499]?.percentiles).toEqual([
      { rank: 50, value: 0 },
      { rank: 100, value: 501 },
    ]);
  });

  it('are those of the whole key, whatever is filtered or cut off', async () => {
    const asked = { counter_group: GRID, meter: 2, maxitems: 1, inverse_key_filter: 'other' };
    expect(await seriesOf(5, asked)).toEqual([0, 0, 10, 20, 30]);
  });
});
