import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { DAY, group, guidOf, meter, startLab, T0 } from '../../support/lab/lab.ts';
import type { Line, TestService } from '../../support/lab/service.ts';

const [GROUP, BIG] = [1, 2].map(guidOf) as [string, string];

const METERS = [
  meter(2, 2),
  meter(4, 4),
  meter(5, 5),
  meter(11, 11),
  meter(12, 12),
  meter(0, 0),
  { id: 1, type: 4, name: 'Bandwidth', topcount: 7, description: 'All of it', units: 'Bps' },
];

/** The window of the tables: two of the four topper buckets that hold data. */
const WINDOW = `window: { interval: { from: ${T0 + 300}, to: ${T0 + 900} } }`;

const line = (key: string, at: number, values: Line['values'], more: Partial<Line> = {}): Line => ({
  group: GROUP,
  key,
  ts: T0 + at,
  values,
  ...more,
});

let lab: TestService;

beforeAll(async () => {
  lab = await startLab({
    groups: [group(1, { meters: METERS, sampling_rate: 3 }), group(2)],
    declaration: { probes: [{ id: 'p1' }, { id: 'idle' }] },
    lines: [
      line('a', 0, { 2: 1000, 4: 900, 5: 50, 11: 99, 12: -99 }),
      line(
        'a',
        300,
        { 2: 10, 4: 1500, 5: 4, 11: 4, 12: 4 },
        { label: 'Alpha', description: 'first' },
      ),
      line('a', 659, { 2: 30, 4: 300, 5: 1, 11: -2, 12: -2 }, { attributes: { site: 'B' } }),
      line('b', 600, { 2: 20, 4: 900, 5: 7, 11: 7, 12: 7 }, { count: 2, probe: 'p1' }),
      line('c', 840, { 2: 4, 4: 600, 5: -5, 11: -5, 12: -5 }),
      line('d', 840, { 2: 1, 4: 300, 5: -6, 11: -6, 12: -6 }),
      line('zero', 840, { 2: 0, 4: 0, 5: 0, 11: 0, 12: 0 }),
      line('late', 1140, { 2: 5, 4: 5, 5: 5, 11: 5, 12: 5 }),
      ...[2n ** 53n - 1n, 2n ** 53n, 2n ** 62n].map((value, i) => ({
        group: BIG,
        key: `k${i}`,
        ts: T0,
        values: { 0: value },
      })),
    ],
  });
});

afterAll(() => lab.close());

async function topper<T = unknown>(args: string, selection: string, guid = GROUP): Promise<T> {
  const { context } = await lab.data<{ context: { counterGroup: { topper: T } } }>(
    `{ context(name: "lab") { counterGroup(guid: "${guid}") { topper(${args}) { ${selection} } } } }`,
  );
  return context.counterGroup.topper;
}

const TOTALS = 'total others othersMatching keyCount keys { rank key metric }';

const ranked = (...keys: readonly (readonly [string, number])[]) =>
  keys.map(([key, metric], i) => ({ rank: i + 1, key, metric }));

describe('a topper', () => {
  it('has its group, its meter and its window as resolved', async () => {
    const selection = `counterGroup { guid name } meter { index name type topCount units description
      counterGroup { guid } } window { from to seconds } samplingRate`;
    expect(await topper(`meter: 1, ${WINDOW}`, selection)).toEqual({
      counterGroup: { guid: GROUP, name: 'Group 1' },
      meter: {
        index: 1,
        name: 'Bandwidth',
        type: 'VT_RATE_COUNTER',
        topCount: 7,
        units: 'Bps',
        description: 'All of it',
        counterGroup: { guid: GROUP },
      },
      window: { from: T0 + 300, to: T0 + 900, seconds: 600 },
      samplingRate: 3,
    });
  });

  it('is the same when reached from the meter', async () => {
    const { context } = await lab.data<{ context: { counterGroup: { meter: object } } }>(
      `{ context(name: "lab") { counterGroup(guid: "${GROUP}") { meter(index: 4) {
        topper(${WINDOW}, maxItems: 2, filter: { exclude: "a" }, probe: null) { ${TOTALS} }
        none: topper(${WINDOW}, probe: "idle") { ${TOTALS} } } } } }`,
    );
    expect(context.counterGroup.meter).toEqual({
      topper: await topper(`meter: 4, ${WINDOW}, maxItems: 2, filter: { exclude: "a" }`, TOTALS),
      none: { total: 0, others: 0, othersMatching: 0, keyCount: 0, keys: [] },
    });
  });

  it.each([
    // a, b, c, d: 40, 20, 4, 1 times three.
    [2, 195, 15, ranked(['a', 120], ['b', 60])],
    // Volumes a, b, c, d: 1800, 900, 600, 300; times 3 ÷ 300. All 3600.
    [4, 36, 9, ranked(['a', 18], ['b', 9])],
    // b: 7 ÷ 2, a: 5 ÷ 2, zero: 0, c: −5, d: −6. All: 1 ÷ 7, times three; the rest −11 ÷ 3.
    [5, 0, -11, ranked(['b', 11], ['a', 8])],
    // b, a, zero, c, d: 7, 4, 0, −5, −6.
    [11, 21, 0, ranked(['b', 21], ['a', 12])],
    // b: 7, zero: 0, a: −2, c: −5, d: −6. Total and others are the smallest value.
    [12, -18, -18, ranked(['b', 21], ['zero', 0])],
  ])('of meter %d has total, others and keys', async (index, total, others, keys) => {
    const answer = { total, others, othersMatching: others, keyCount: index < 5 ? 4 : 5, keys };
    expect(await topper(`meter: ${index}, ${WINDOW}, maxItems: 2`, TOTALS)).toEqual(answer);
  });

  it('has the total and others of the whole group, whatever the filter (decision 25)', async () => {
    const filtered = (index: number) =>
      topper(`meter: ${index}, ${WINDOW}, maxItems: 1, filter: { match: "[bcd]" }`, TOTALS);
    expect(await filtered(2)).toEqual({
      total: 195,
      others: 135,
      othersMatching: 15,
      keyCount: 3,
      keys: ranked(['b', 60]),
    });
    expect(await filtered(4)).toMatchObject({ total: 36, others: 27, othersMatching: 9 });
    // (5 − 5 − 6 + 0) ÷ 5 and (−5 − 6) ÷ 2, times three.
    expect(await filtered(5)).toMatchObject({ total: 0, others: -4, othersMatching: -16 });
    expect(await filtered(11)).toMatchObject({ total: 21, others: 12, othersMatching: -15 });
    expect(await filtered(12)).toMatchObject({ total: -18, others: -18, othersMatching: -18 });
  });

  it('without readings is all zero', async () => {
    const nothing = { total: 0, others: 0, othersMatching: 0, keyCount: 0, keys: [] };
    const window = `window: { interval: { from: 0, to: 60 } }`;
    for (const index of [2, 4, 5, 11, 12]) {
      expect(await topper(`meter: ${index}, ${window}`, TOTALS)).toEqual(nothing);
    }
  });

  it('lists 100 keys of meter 0 by default', async () => {
    const many = Array.from({ length: 101 }, (_, i) => ({
      group: BIG,
      key: `n${i}`,
      ts: T0 + DAY,
      values: { 0: 1 },
    }));
    await lab.importSamples(many);
    const window = `window: { startingAt: { from: ${T0 + DAY}, seconds: 60 } }`;
    const selection = 'keyCount others meter { index } keys { key }';
    const answer = await topper<{ keys: unknown[] }>(window, selection, BIG);
    expect(answer).toMatchObject({ keyCount: 101, others: 1, meter: { index: 0 } });
    expect(answer.keys).toHaveLength(100);
  });
});

describe('a key of a topper', () => {
  const keys = async <T = Record<string, unknown>>(args: string, selection: string) =>
    (await topper<{ keys: T[] }>(`${args}, ${WINDOW}`, `keys { ${selection} }`)).keys;

  it('has everything that is known about it', async () => {
    const selection = 'key readable label description attributes { name value }';
    expect(await keys('meter: 2, maxItems: 2', selection)).toEqual([
      {
        key: 'a',
        readable: 'a',
        label: 'Alpha',
        description: 'first',
        attributes: [{ name: 'site', value: 'B' }],
      },
      { key: 'b', readable: 'b', label: 'b', description: null, attributes: [] },
    ]);
  });

  it('leads to the key itself, which has the same id however it is reached', async () => {
    const fields = 'id key readable label description attributes { name value }';
    const [first] = await keys<{ keyNode: { id: string } }>(
      'meter: 2, maxItems: 1',
      `keyNode { ${fields} counterGroup { guid } }`,
    );
    const { node, context } = await lab.data<Record<string, unknown>>(
      `query ($id: ID!) { node(id: $id) { ... on Key { ${fields} counterGroup { guid } } }
        context(name: "lab") { counterGroup(guid: "${GROUP}") {
          key(key: "a") { ${fields} counterGroup { guid } } } } }`,
      { id: first?.keyNode.id },
    );
    expect(first?.keyNode).toMatchObject({ key: 'a', counterGroup: { guid: GROUP } });
    expect(node).toEqual(first?.keyNode);
    expect(context).toEqual({ counterGroup: { key: first?.keyNode } });
  });

  const ARITHMETIC = 'key volume averageRate peak share';

  it('of a counter has volume, rate, peak and share', async () => {
    expect(await keys('meter: 2', ARITHMETIC)).toEqual([
      // Topper buckets 10 and 30, times three; 120 in 600 seconds.
      { key: 'a', volume: 120, averageRate: 0.2, peak: 90, share: 120 / 195 },
      { key: 'b', volume: 60, averageRate: 0.1, peak: 60, share: 60 / 195 },
      { key: 'c', volume: 12, averageRate: 0.02, peak: 12, share: 12 / 195 },
      { key: 'd', volume: 3, averageRate: 0.005, peak: 3, share: 3 / 195 },
    ]);
  });

  it('of a rate derives them from its volume, and has the peak in the unit of metric', async () => {
    expect(await keys('meter: 4', ARITHMETIC)).toEqual([
      { key: 'a', volume: 5400, averageRate: 9, peak: 15, share: 0.5 },
      { key: 'b', volume: 2700, averageRate: 4.5, peak: 9, share: 0.25 },
      { key: 'c', volume: 1800, averageRate: 3, peak: 6, share: 1800 / 10_800 },
      { key: 'd', volume: 900, averageRate: 1.5, peak: 3, share: 900 / 10_800 },
    ]);
  });

  it('of the other types has only its peak', async () => {
    const none = { volume: null, averageRate: null, share: null };
    // The mean of each topper bucket: 4 and 1 of a; 7 ÷ 2 of b. Times three.
    expect(await keys('meter: 5, maxItems: 2', ARITHMETIC)).toEqual([
      { key: 'b', peak: 11, ...none },
      { key: 'a', peak: 12, ...none },
    ]);
    expect(await keys('meter: 11, maxItems: 2', ARITHMETIC)).toEqual([
      { key: 'b', peak: 21, ...none },
      { key: 'a', peak: 12, ...none },
    ]);
    expect(await keys('meter: 12, filter: { keys: "a" }', ARITHMETIC)).toEqual([
      { key: 'a', peak: 12, ...none },
    ]);
  });

  it('has its share of the unfiltered total, of the probe where one is given', async () => {
    expect(await keys('meter: 2, filter: { keys: ["d"] }', 'rank share')).toEqual([
      { rank: 1, share: 3 / 195 },
    ]);
    expect(await keys('meter: 2, probe: "p1"', 'key share')).toEqual([{ key: 'b', share: 1 }]);
  });

  it('has its average over the available seconds of the window', async () => {
    const wide = (from: number, to: number) =>
      topper(
        `meter: 2, window: { interval: { from: ${from}, to: ${to} } }, filter: { keys: ["b"] }`,
        'keys { averageRate }',
      );
    // The group's data reach from T0 to T0 + 1200.
    expect(await wide(T0 + 600, T0 + DAY)).toEqual({ keys: [{ averageRate: 60 / 600 }] });
    expect(await wide(0, T0 + DAY)).toEqual({ keys: [{ averageRate: 60 / 1200 }] });
    expect(await wide(T0 - 300, T0 + 900)).toEqual({ keys: [{ averageRate: 60 / 900 }] });
  });

  it('has the percentiles of the REST endpoint', async () => {
    const selection = 'key percentiles(ranks: [100, 0, 50, 99.9, 50]) { rank value }';
    const [first] = await keys('meter: 4, maxItems: 1', selection);
    expect(first).toEqual({
      key: 'a',
      percentiles: [
        { rank: 100, value: 15 },
        { rank: 0, value: 3 },
        { rank: 50, value: 3 },
        { rank: 99.9, value: 15 },
      ],
    });
    expect(await keys('meter: 5, maxItems: 1', 'percentiles(ranks: []) { rank }')).toEqual([
      { percentiles: [] },
    ]);
  });
});

describe('a BigInt (decisions, section 8)', () => {
  it('is a number up to 2^53 − 1, and a string beyond', async () => {
    const window = `window: { startingAt: { from: ${T0}, seconds: 60 } }`;
    const selection = 'total others keys { metric volume peak }';
    expect(await topper(`${window}, maxItems: 2`, selection, BIG)).toEqual({
      total: String(2n ** 53n - 1n + 2n ** 53n + 2n ** 62n),
      others: 9007199254740991,
      keys: [
        { metric: String(2n ** 62n), volume: String(2n ** 62n), peak: String(2n ** 62n) },
        { metric: '9007199254740992', volume: '9007199254740992', peak: '9007199254740992' },
      ],
    });
  });
});
