import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Integer } from '../../support/http/answers.ts';
import { group, guidOf, meter, startLab, T0 } from '../../support/lab/lab.ts';
import type { Line, TestService } from '../../support/lab/service.ts';

const [PLAIN, SAMPLED, TIES, GREAT] = [1, 2, 3, 4].map(guidOf) as [string, string, string, string];

/** Meter n has type n. */
const METERS = Array.from({ length: 13 }, (_, type) => meter(type, type));

const COUNTERS = [2, 3];
const RATES = [1, 4, 10];
const MEANS = [5, 6, 7, 9];
const MAXIMA = [8, 11];
const MINIMA = [12];

/** `values` for all meters of these types. */
const reading = (types: readonly number[], value: number | bigint): Line['values'] =>
  Object.fromEntries(types.map((type) => [type, value]));

type Reading = readonly [key: string, at: number, value: number, count?: number, probe?: string];

/** Window of the tables: [T0, T0 + 600), two topper buckets. */
const COUNTED: readonly Reading[] = [
  ['a', 0, 100],
  ['a', 59, 49],
  ['a', 300, 1, 1, 'p1'],
  ['b', 599, 149],
  ['c', 60, 149],
  ['d', 0, 451],
  ['zero', 0, 0],
  ['outside', 600, 1_000_000],
  ['outside', -1, 1_000_000],
];

const READ: readonly Reading[] = [
  ['a', 0, -5, 2],
  ['b', 0, 3, 1],
  ['b', 420, 4, 1, 'p1'],
  ['c', 0, -7, 2],
  ['d', 0, -1, 1],
  ['d', 30, -2, 1],
  ['d', 599, -1, 1],
  ['zero', 120, 0, 1],
  ['outside', 600, 1_000_000],
];

const lines = (guid: string, types: readonly number[], readings: readonly Reading[]): Line[] =>
  readings.map(([key, at, value, count, probe]) => ({
    group: guid,
    key,
    ts: T0 + at,
    values: reading(types, value),
    ...(count !== undefined && { count }),
    ...(probe !== undefined && { probe }),
  }));

const MAX = 2n ** 63n - 1n;

let lab: TestService;

beforeAll(async () => {
  lab = await startLab({
    groups: [
      group(1, { meters: METERS }),
      group(2, { meters: METERS, sampling_rate: 10 }),
      group(3, { meters: METERS }),
      group(4, { meters: METERS }),
    ],
    lines: [PLAIN, SAMPLED].flatMap((guid) => [
      ...lines(guid, [...COUNTERS, ...RATES], COUNTED),
      ...lines(guid, [...MEANS, ...MAXIMA, ...MINIMA], READ),
    ]),
  });
});

afterAll(() => lab.close());

const WINDOW = { window_fromts: T0, window_seconds: 600 };

type Ranked = readonly (readonly [string, Integer])[];

/** The keys with their metrics, and sysgrouptotal. */
async function ask(counter_group: string, type: number, more = {}): Promise<[Ranked, Integer]> {
  const question = { ...WINDOW, counter_group, meter: type, ...more };
  const answer = await lab.topper(question);
  expect(answer).toMatchObject({ counter_group, meter: type });
  return [answer.keys.map(({ key, metric }) => [key, metric]), answer.sysgrouptotal];
}

/** Of each kind: its types, all keys ranked, and sysgrouptotal when 1, 2, 3 … are listed. */
const EXPECTED: readonly [string, readonly number[], Ranked, readonly Integer[]][] = [
  [
    'counters add up',
    COUNTERS,
    // a: 100 + 49 + 1; all 899.
    [
      ['d', 451],
      ['a', 150],
      ['b', 149],
      ['c', 149],
    ],
    [448, 298, 149, 0],
  ],
  [
    'rates are the volume ÷ 300, half up',
    RATES,
    // d: 1.503; a: 0.5; b and c: 0.497 each. Remaining: 448 ÷ 300 = 1.49, 298 ÷ 300 = 0.99, 0.497.
    [
      ['d', 2],
      ['a', 1],
      ['b', 0],
      ['c', 0],
    ],
    [1, 1, 0, 0],
  ],
  [
    'gauges are the sum ÷ the count, half up',
    MEANS,
    // b: 3.5; zero: 0; d: −4/3; a: −2.5; c: −3.5.
    [
      ['b', 4],
      ['zero', 0],
      ['d', -1],
      ['a', -2],
      ['c', -3],
    ],
    // Remaining: −16/8 = −2; −16/7; −12/4 = −3; −7/2 = −3.5; none.
    [-2, -2, -3, -3, 0],
  ],
  [
    'maxima are the largest reading',
    MAXIMA,
    [
      ['b', 4],
      ['zero', 0],
      ['d', -1],
      ['a', -5],
      ['c', -7],
    ],
    [0, -1, -5, -7, 0],
  ],
  [
    'minima are the smallest reading, and rank largest first too',
    MINIMA,
    [
      ['b', 3],
      ['zero', 0],
      ['d', -2],
      ['a', -5],
      ['c', -7],
    ],
    [-7, -7, -7, -7, 0],
  ],
];

describe('how a meter combines (decision 23)', () => {
  for (const [what, types, ranked, others] of EXPECTED) {
    it.each(types)(`${what}: type %d`, async (type) => {
      expect(await ask(PLAIN, type)).toEqual([ranked, 0]);
      for (const [i, rest] of others.entries()) {
        const listed = ranked.slice(0, i + 1);
        expect(await ask(PLAIN, type, { maxitems: i + 1 })).toEqual([listed, rest]);
      }
    });
  }

  it('restricted to a probe uses only the readings of that probe', async () => {
    const probe = { probe_id: 'p1' };
    expect(await ask(PLAIN, 2, probe)).toEqual([[['a', 1]], 0]);
    expect(await ask(PLAIN, 4, probe)).toEqual([[['a', 0]], 0]);
    expect(await ask(PLAIN, 5, probe)).toEqual([[['b', 4]], 0]);
    expect(await ask(PLAIN, 12, probe)).toEqual([[['b', 4]], 0]);
  });

  it('leaves out a key that has only readings of other meters', async () => {
    const filter = { key_filter: 'gauge only' };
    await lab.importSamples([
      { group: PLAIN, key: 'gauge only', ts: T0, values: { 11: 1 } },
      { group: PLAIN, key: 'gauge only', ts: T0 + 601, values: { 2: 1, 5: 1 } },
    ]);
    for (const type of [2, 4, 5, 12]) {
      expect((await ask(PLAIN, type, filter))[0]).toEqual([]);
    }
    expect((await ask(PLAIN, 11, filter))[0]).toEqual([['gauge only', 1]]);
  });
});

describe('a sampling rate of 10 (decision 28)', () => {
  it.each(COUNTERS)('multiplies counters: type %d', async (type) => {
    expect(await ask(SAMPLED, type, { maxitems: 2 })).toEqual([
      [
        ['d', 4510],
        ['a', 1500],
      ],
      2980,
    ]);
  });

  it.each(RATES)('multiplies rates before they are rounded: type %d', async (type) => {
    // d: 15.03; a: 5; b and c: 4.97; both: 9.93.
    expect(await ask(SAMPLED, type, { maxitems: 2 })).toEqual([
      [
        ['d', 15],
        ['a', 5],
      ],
      10,
    ]);
    expect(await ask(SAMPLED, type)).toEqual([
      [
        ['d', 15],
        ['a', 5],
        ['b', 5],
        ['c', 5],
      ],
      0,
    ]);
  });

  it.each(MEANS)('multiplies means before they are rounded: type %d', async (type) => {
    // d: −13.33; a: −25; c: −35. Remaining after b and zero: (−4 − 5 − 7)·10 ÷ 7 = −22.86.
    const ranked = [
      ['b', 35],
      ['zero', 0],
      ['d', -13],
      ['a', -25],
      ['c', -35],
    ];
    expect(await ask(SAMPLED, type)).toEqual([ranked, 0]);
    expect(await ask(SAMPLED, type, { maxitems: 2 })).toEqual([ranked.slice(0, 2), -23]);
  });

  it.each([...MAXIMA, ...MINIMA])('multiplies extremes: type %d', async (type) => {
    const [keys, others] = await ask(SAMPLED, type, { maxitems: 4 });
    expect(keys.slice(1)).toEqual([
      ['zero', 0],
      ['d', type === 12 ? -20 : -10],
      ['a', -50],
    ]);
    expect(others).toBe(-70);
  });
});

describe('ranking (decision 24)', () => {
  beforeAll(async () => {
    // In UTF-16 the emoji sorts before U+FB01, in bytes after it.
    const ties = ['z', 'a', 'B', 'a b', 'é', '\u{1F600}', '\uFB01', '~', '10', '9'];
    await lab.importSamples([
      ...ties.map((key) => ({ group: TIES, key, ts: T0, values: { 2: 5, 11: -5, 4: 100 } })),
      { group: TIES, key: 'close', ts: T0, values: { 4: 101 } },
      { group: TIES, key: 'above', ts: T0, values: { 5: 1 }, count: 2 },
      { group: TIES, key: 'below', ts: T0, values: { 5: 499_999_999 }, count: 1_000_000_000 },
      { group: TIES, key: 'third', ts: T0, values: { 5: 2 }, count: 6 },
      { group: TIES, key: 'a third', ts: T0, values: { 5: 1 }, count: 3 },
    ]);
  });

  const ORDER = ['10', '9', 'B', 'a', 'a b', 'z', '~', 'é', '\uFB01', '\u{1F600}'];

  it.each([2, 11])('orders equal values by the bytes of their keys: type %d', async (type) => {
    const [keys] = await ask(TIES, type);
    expect(keys.map(([key]) => key)).toEqual(ORDER);
    const [first] = await ask(TIES, type, { maxitems: 9 });
    expect(first.map(([key]) => key)).toEqual(ORDER.slice(0, 9));
  });

  it('uses the exact value, not the one that is shown', async () => {
    const [keys] = await ask(TIES, 4);
    expect(keys.map(([key, metric]) => `${key} ${metric}`)).toEqual(
      ['close', ...ORDER].map((key) => `${key} 0`),
    );
    // 0.5 is shown as 1, and what is below it as 0; 2/6 and 1/3 are equal.
    expect((await ask(TIES, 5))[0]).toEqual([
      ['above', 1],
      ['below', 0],
      ['a third', 0],
      ['third', 0],
    ]);
  });
});

describe('integers beyond 2^53 (decision 8)', () => {
  beforeAll(() =>
    lab.importSamples([
      { group: GREAT, key: 'a', ts: T0, values: { 2: MAX, 4: MAX, 5: MAX, 11: MAX, 12: -MAX } },
      { group: GREAT, key: 'a', ts: T0 + 60, values: { 2: MAX, 4: MAX, 5: MAX - 1n, 11: -MAX } },
      { group: GREAT, key: 'b', ts: T0, values: { 2: MAX, 4: 1, 5: -MAX, 11: -MAX, 12: -MAX } },
      { group: GREAT, key: 'b', ts: T0 + 1, values: { 2: MAX, 4: 1, 5: -MAX, 11: -MAX } },
      { group: GREAT, key: 'c', ts: T0 + 1, values: { 2: 2n ** 53n + 1n, 5: -1, 12: 1 } },
      { group: GREAT, key: 'd', ts: T0 + 1, values: { 2: 2n ** 53n } },
    ]),
  );

  const raw = async (type: number, maxitems = 100) => {
    const question = { ...WINDOW, counter_group: GREAT, meter: type, maxitems };
    const { text } = await lab.rest('topper', { ...question, resolve_keys: false });
    return text;
  };

  it('stay exact in sums beyond 2^63, and are never in quotes', async () => {
    expect(await raw(2)).toBe(
      `{"counter_group":"${GREAT}","meter":2,"sysgrouptotal":0,"keys":[` +
        '{"key":"a","metric":18446744073709551614},{"key":"b","metric":18446744073709551614},' +
        '{"key":"c","metric":9007199254740993},{"key":"d","metric":9007199254740992}]}',
    );
    // b + c + d
    expect(await raw(2, 1)).toContain('"sysgrouptotal":18464758472219033599,');
  });

  it('are divided exactly', async () => {
    // (2^64 − 2) ÷ 300 = 61489146912365172.046…
    expect(await raw(4)).toContain('{"key":"a","metric":61489146912365172}');
    // (2·(2^63 − 1) − 1) ÷ 2 rounds half up to 2^63 − 1.
    expect(await raw(5)).toContain('{"key":"a","metric":9223372036854775807}');
    expect(await raw(5)).toContain('{"key":"b","metric":-9223372036854775807}');
  });

  it('are exact as extremes', async () => {
    expect(await raw(11)).toContain(
      '[{"key":"a","metric":9223372036854775807},{"key":"b","metric":-9223372036854775807}]',
    );
    expect(await raw(12)).toContain(
      '[{"key":"c","metric":1},{"key":"a","metric":-9223372036854775807},' +
        '{"key":"b","metric":-9223372036854775807}]',
    );
    expect(await raw(12, 1)).toContain('"sysgrouptotal":-9223372036854775807,');
  });
});
