import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { GROUPS } from '../../answers/several-days.ts';
import {
  DAY,
  type DeclaredGroup,
  group,
  guidOf,
  meter,
  startLab,
  T0,
} from '../../support/lab/lab.ts';
import type { Line, TestService } from '../../support/lab/service.ts';
import { FUZZ_CASES } from '../../support/random/fuzz-cases.ts';

const HOSTS = guidOf(90);
const METERS = [meter(0, 2), meter(4, 4), meter(5, 5), meter(11, 11), meter(12, 12)];

/** A small group whose answers are computed by hand, and the groups of random questions. */
const ALL = [group(90, { meters: METERS, sampling_rate: 2 }), ...GROUPS];

/** Small numbers that repeat, so that many keys have equal values. */
const randomLines = (): Line[] =>
  GROUPS.flatMap((each) =>
    fc
      .sample(
        fc.record({
          key: fc.nat(30),
          at: fc.nat(3 * DAY - 1),
          value: fc.nat(9),
          probe: fc.boolean(),
        }),
        { numRuns: 400, seed: 7 },
      )
      .map(({ key, at, value, probe }) => ({
        group: each.guid,
        key: keyOf(each, key),
        ts: T0 + at,
        values: Object.fromEntries(each.meters.map(({ id }) => [id, value])),
        ...(probe && { probe: 'p1' }),
      })),
  );

const keyOf = ({ key_kind }: DeclaredGroup, n: number): string =>
  key_kind === 'text' ? `k${n}` : n.toString(16).toUpperCase().padStart(2, '0');

/** Readings of a meter that may be negative, a day later, in two windows. */
const GAUGE_READINGS: readonly (readonly [key: string, at: number, value: number])[] = [
  ['both', 0, 10],
  ['both', 600, 3],
  ['gone above', 0, 5],
  ['gone below', 0, -5],
  ['new above', 600, 6],
  ['new below', 600, -6],
];

let lab: TestService;

beforeAll(async () => {
  const line = (key: string, at: number, value: number): Line => ({
    group: HOSTS,
    key,
    ts: T0 + at,
    values: { 0: value, 4: value * 300, 5: value, 11: value, 12: value },
  });
  lab = await startLab({
    groups: ALL,
    lines: [
      // The previous window, 0 to 600, has a, c, d and gone; the window itself a, b, c and d.
      line('a', 0, 10),
      line('c', 300, 40),
      line('d', 300, 7),
      line('gone', 300, 90),
      line('a', 600, 30),
      line('a', 900, 30),
      line('b', 900, 50),
      line('c', 1199, 10),
      line('d', 900, 7),
      ...GAUGE_READINGS.map(([key, at, value]) => ({
        group: HOSTS,
        key,
        ts: T0 + DAY + at,
        values: { 5: value },
      })),
      ...randomLines(),
    ],
  });
});

afterAll(() => lab.close());

const TOPPER = `query ($guid: Guid!, $meter: Int!, $window: WindowInput, $items: Int!, $probe: String,
    $rankBy: RankBy! = METRIC, $percentile: Float, $ago: Int, $rank: Float!, $earlier: Int) {
  context(name: "lab") { counterGroup(guid: $guid) { topper(
    meter: $meter, window: $window, maxItems: $items, probe: $probe
    rankBy: $rankBy, percentile: $percentile, ago: $ago
  ) { total others othersMatching keyCount keys {
    rank key metric rankValue peak percentiles(ranks: [$rank]) { value } previous(ago: $earlier) { metric change }
  } } } }
}`;

type Key = {
  readonly rank: number;
  readonly key: string;
  readonly metric: number;
  readonly rankValue: number;
  readonly peak: number | null;
  readonly percentiles: readonly { readonly value: number }[];
  readonly previous: { readonly metric: number; readonly change: number };
};

type Topper = {
  readonly total: number;
  readonly others: number;
  readonly othersMatching: number;
  readonly keyCount: number;
  readonly keys: readonly Key[];
};

async function ask(variables: Readonly<Record<string, unknown>>): Promise<Topper> {
  const { context } = await lab.data<{ context: { counterGroup: { topper: Topper } } }>(TOPPER, {
    guid: HOSTS,
    meter: 0,
    items: 100,
    rank: 95,
    ...variables,
  });
  return context.counterGroup.topper;
}

const WINDOW = { interval: { from: T0 + 600, to: T0 + 1200 } };

const shown = ({ keys }: Topper) =>
  keys.map(({ rank, key, metric, rankValue }) => [rank, key, metric, rankValue]);

describe('keys are ranked', () => {
  it('by their metric by default', async () => {
    const answer = await ask({ window: WINDOW });
    expect(shown(answer)).toEqual([
      [1, 'a', 120, 120],
      [2, 'b', 100, 100],
      [3, 'c', 20, 20],
      [4, 'd', 14, 14],
    ]);
    expect(answer).toMatchObject({ total: 254, others: 0, keyCount: 4 });
  });

  it('by their largest topper bucket', async () => {
    const answer = await ask({ window: WINDOW, rankBy: 'PEAK', items: 2 });
    expect(shown(answer)).toEqual([
      [1, 'b', 100, 100],
      [2, 'a', 120, 60],
    ]);
    expect(answer).toMatchObject({ total: 254, others: 34, othersMatching: 34, keyCount: 4 });
  });

  it('by a percentile of their topper buckets, which are 0 without a reading', async () => {
    const answer = await ask({ window: WINDOW, rankBy: 'PERCENTILE', percentile: 50 });
    expect(shown(answer)).toEqual([
      [1, 'a', 120, 60],
      [2, 'b', 100, 0],
      [3, 'c', 20, 0],
      [4, 'd', 14, 0],
    ]);
    const usual = await ask({ window: WINDOW, rankBy: 'PERCENTILE', items: 1 });
    expect(shown(usual)).toEqual([[1, 'b', 100, 100]]);
  });

  it('by growth, and only those that grew', async () => {
    const answer = await ask({ window: WINDOW, rankBy: 'GROWTH' });
    expect(shown(answer)).toEqual([
      [1, 'a', 120, 100],
      [2, 'b', 100, 100],
    ]);
    expect(answer).toMatchObject({ total: 254, others: 34, keyCount: 2 });
    const ago = await ask({ window: WINDOW, rankBy: 'GROWTH', ago: 300 });
    expect(shown(ago)).toEqual([
      [1, 'b', 100, 100],
      [2, 'a', 120, 60],
    ]);
  });

  it('by decline, including those without a reading in the window', async () => {
    const answer = await ask({ window: WINDOW, rankBy: 'DECLINE' });
    expect(shown(answer)).toEqual([
      [1, 'gone', 0, 180],
      [2, 'c', 20, 60],
    ]);
    expect(answer).toMatchObject({ total: 254, others: 234, othersMatching: 234, keyCount: 2 });
    expect(answer.keys[0]).toMatchObject({ peak: 0, previous: { metric: 180, change: -180 } });
  });

  it('by decline, including those below 0 without a reading before', async () => {
    const window = { interval: { from: T0 + DAY + 600, to: T0 + DAY + 1200 } };
    const answer = await ask({ meter: 5, window, rankBy: 'DECLINE' });
    expect(shown(answer)).toEqual([
      [1, 'both', 6, 14],
      [2, 'new below', -12, 12],
      [3, 'gone above', 0, 10],
    ]);
    expect(answer).toMatchObject({ keyCount: 3 });
    expect(answer.keys[1]).toMatchObject({ previous: { metric: 0, change: -12 } });
    const [first] = (await ask({ meter: 5, window, rankBy: 'DECLINE', items: 1 })).keys;
    expect(first).toMatchObject({ key: 'both' });
    const grown = await ask({ meter: 5, window, rankBy: 'GROWTH' });
    expect(shown(grown)).toEqual([[1, 'new above', 12, 12]]);
  });

  it('by their metric if they are new', async () => {
    const answer = await ask({ window: WINDOW, rankBy: 'NEW' });
    expect(shown(answer)).toEqual([[1, 'b', 100, 100]]);
    expect(answer).toMatchObject({ total: 254, others: 154, keyCount: 1 });
  });

  it.each([
    [{ percentile: 50 }, 'percentile must be left out unless rankBy is PERCENTILE, got 50'],
    [{ rankBy: 'PEAK', ago: 60 }, 'ago must be left out unless rankBy is GROWTH, DECLINE or NEW'],
    [{ rankBy: 'PERCENTILE', percentile: 100.5 }, 'percentile must be a number from 0 to 100'],
    [{ rankBy: 'PERCENTILE', percentile: -1 }, 'percentile must be a number from 0 to 100'],
    [{ rankBy: 'NEW', ago: 0 }, 'ago must be a positive number of seconds, got 0'],
    [{ rankBy: 'DECLINE', ago: T0 + 601 }, 'ago must be at most'],
  ])('only by valid arguments: %j', async (given, message) => {
    const variables = { guid: HOSTS, meter: 0, items: 1, rank: 95, window: WINDOW, ...given };
    const { errors } = await lab.graphql(TOPPER, variables);
    expect(errors).toMatchObject([
      {
        message: expect.stringContaining(message),
        extensions: { code: 'BAD_USER_INPUT' },
        path: ['context', 'counterGroup', 'topper'],
      },
    ]);
  });
});

/** The largest first. The tests of the kernel check the order of equal values. */
const descending = (numbers: readonly number[]): number[] => numbers.toSorted((a, b) => b - a);

/** Types whose values are divided: rates and means. */
const ROUNDED = [1, 4, 5, 6, 7, 9, 10];

describe('rankings of any window', () => {
  it('agree with the fields of a topper of all keys', async () => {
    const question = fc.record({
      each: fc.constantFrom(...GROUPS),
      place: fc.nat(20),
      from: fc.integer({ min: -DAY, max: 3 * DAY }),
      length: fc.integer({ min: 1, max: 3 * DAY }),
      items: fc.constantFrom(1, 4, 100),
      percentile: fc.constantFrom(0, 50, 95, 99, 100),
      ago: fc.integer({ min: 1, max: 2 * DAY }),
      probe: fc.constantFrom(null, 'p1'),
    });
    await fc.assert(
      fc.asyncProperty(question, async ({ each, place, from, length, items, ...more }) => {
        const { percentile, ago, probe } = more;
        const meters = each.meters.filter(({ type }) => type > 0);
        const { id, type } = meters[place % meters.length] as (typeof meters)[number];
        const window = { from: T0 + from, to: T0 + from + length };
        const own = {
          guid: each.guid,
          meter: id,
          probe,
          rank: percentile,
          earlier: ago,
          window: { interval: window },
        };
        const all = await ask({ ...own, items: 1000 });
        const earlier = { from: window.from - ago, to: window.to - ago };
        const then = await ask({ ...own, items: 1000, window: { interval: earlier } });
        const before = new Map(then.keys.map(({ key, metric }) => [key, metric]));
        const now = new Map(all.keys.map(({ key, metric }) => [key, metric]));
        const values = {
          PEAK: all.keys.map(({ peak }) => peak ?? Number.NaN),
          PERCENTILE: all.keys.map(({ percentiles }) => percentiles[0]?.value ?? Number.NaN),
          NEW: all.keys.flatMap(({ key, metric }) => (before.has(key) ? [] : [metric])),
        };
        for (const [rankBy, wanted] of Object.entries(values)) {
          const given = rankBy === 'PERCENTILE' ? { percentile } : rankBy === 'NEW' ? { ago } : {};
          const answer = await ask({ ...own, ...given, rankBy, items });
          expect(answer.keys.map(({ rankValue }) => rankValue)).toEqual(
            descending(wanted).slice(0, items),
          );
          expect(answer).toMatchObject({ keyCount: wanted.length, total: all.total });
        }
        // The growth of a mean may be lost in rounding.
        for (const rankBy of ['GROWTH', 'DECLINE'] as const) {
          const answer = await ask({ ...own, rankBy, ago, items });
          const change = (own: number, other: number) =>
            rankBy === 'GROWTH' ? own - other : other - own;
          const both = [...new Set([...now.keys(), ...before.keys()])];
          const keys = rankBy === 'GROWTH' ? [...now.keys()] : both;
          const changes = keys.map((key) => change(now.get(key) ?? 0, before.get(key) ?? 0));
          const shownOnly = changes.filter((each) => each > 0);
          const listed = answer.keys.map(({ rankValue }) => rankValue).filter((value) => value > 0);
          // Keys are ranked by their values before rounding.
          if (ROUNDED.includes(type)) {
            if (items >= keys.length) expect(descending(listed)).toEqual(descending(shownOnly));
          } else {
            expect(listed).toEqual(descending(shownOnly).slice(0, items));
          }
          for (const { metric, rankValue, previous } of answer.keys) {
            expect(rankValue).toBe(change(metric, previous.metric));
          }
          expect(answer.keyCount).toBeGreaterThanOrEqual(shownOnly.length);
        }
      }),
      { numRuns: Math.ceil(FUZZ_CASES / 5), endOnFailure: true },
    );
  });
});
