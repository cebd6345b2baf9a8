import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { DAY, group, guidOf, meter, startLab, T0 } from '../../support/lab/lab.ts';
import { CONTEXT, type Line, type TestService } from '../../support/lab/service.ts';
import { plainSteps, plainToppers } from '../../support/reference/plain-topper.ts';
import type { ReferenceQuestion } from '../../support/reference/reference-topper.ts';

const COUNTING = [2, 4];
const METERS = [...COUNTING, 5, 11, 12].map((type) => meter(type, type));

const BUCKETS = { bucket_size: 3600, topper_bucket_size: 7200, meters: METERS };

const HOSTS = group(1, { ...BUCKETS, sampling_rate: 3 });
const APPS = group(2, BUCKETS);
const CROSS = group(3, {
  ...BUCKETS,
  key_kind: 'crosskey',
  crosskey: { parentguid: guidOf(1), crosskeyguid_1: guidOf(2) },
});

/** Enough for blocks of 1, 2, 4 and 8 days: T0 is on an odd day since the epoch. */
const DAYS = 13;

const HOST_KEYS = ['alpha', 'beta', 'gamma', 'delta', 'eta'];
const APP_KEYS = ['http', 'dns', 'ssh', 'smtp'];

/** The n-th reading of the data set. Some keys occur only on some days; values rarely repeat. */
function lineOf(n: number): Line[] {
  const day = n % DAYS;
  const host = HOST_KEYS[(n * 7 + day) % 5] ?? '';
  const app = APP_KEYS[(n * n + day) % 4] ?? '';
  const value = ((n * 7919) % 997) + 1;
  const reading = {
    ts: T0 + day * DAY + ((n * 54_321) % DAY),
    count: 1 + (n % 3),
    values: { 2: value, 4: value * 3600, 5: value - 500, 11: value - 500, 12: 500 - value },
    ...(n % 5 === 0 && { probe: 'p1' }),
  };
  return [
    { group: HOSTS.guid, key: day > 9 && host === 'alpha' ? 'late' : host, ...reading },
    { group: APPS.guid, key: app, ...reading },
    { group: CROSS.guid, key: `${host}\\${app}`, ...reading },
  ];
}

let lab: TestService;

beforeAll(async () => {
  const lines = Array.from({ length: 300 }, (_, n) => lineOf(n)).flat();
  lab = await startLab({
    groups: [HOSTS, APPS, CROSS],
    declaration: { probes: [{ id: 'p1' }] },
    // The other half arrives late, part of it from another engine.
    lines: lines.slice(0, 450),
  });
  await lab.importSamples(lines.slice(450, 700));
  await lab.importSamples(lines.slice(700), { engine: 1 });
});

afterAll(() => lab.close());

type Window = { from: number; to: number };
type Value = { rank: number; value: number };
type Key = {
  key: string;
  metric: number;
  peak: number | null;
  percentiles: Value[];
  series: { at: number; value: number }[];
  previous: { metric: number; rank: number | null; change: number; window: Window };
  drilldown: { total: number; others: number; keys: { key: string; metric: number }[] };
};
type Topper = {
  total: number;
  others: number;
  othersMatching: number;
  keyCount: number;
  series: { at: number; total: number; others: number }[];
  keys: Key[];
};

const DOCUMENT = `query ($meter: Int!, $window: WindowInput, $step: Int, $ago: Int, $maxItems: Int,
    $filter: KeyFilterInput, $probe: String) {
  context(name: "lab") { counterGroup(guid: "${HOSTS.guid}") {
    topper(meter: $meter, window: $window, maxItems: $maxItems, filter: $filter, probe: $probe) {
      total others othersMatching keyCount series(step: $step) { at total others }
      keys { key metric peak percentiles(ranks: [50, 100]) { rank value }
        series(step: $step) { at value }
        previous(ago: $ago) { metric rank change window { from to } }
        drilldown(crosskey: "${CROSS.guid}", meter: $meter, maxItems: 2) {
          total others keys { key metric } } } } } } }`;

type Asked = Window & { step: number; ago: number; probe?: string; match?: string };

const CASES = [
  ['all days', { from: T0, to: T0 + DAYS * DAY, step: DAY, ago: 5 * DAY }],
  ['eight days of one block', { from: T0 + DAY, to: T0 + 9 * DAY, step: 2 * DAY, ago: DAY }],
  [
    'an interval that is not aligned',
    { from: T0 + 12_345, to: T0 + 10 * DAY + 54_321, step: 21_600, ago: 3 * DAY + 1 },
  ],
  [
    'more than the available interval',
    { from: T0 - 40 * DAY, to: T0 + 9 * DAY, step: 32 * DAY, ago: DAY },
  ],
  [
    'twelve days with a filter',
    { from: T0, to: T0 + 12 * DAY, step: 7200, ago: 2 * DAY, match: '^[b-e]' },
  ],
  [
    'eleven days of a probe',
    { from: T0 + 2 * DAY, to: T0 + 13 * DAY, step: DAY, ago: DAY, probe: 'p1' },
  ],
] as const satisfies readonly (readonly [string, Asked])[];

const MAX_ITEMS = 3;

const answers = new Map<string, Promise<Topper>>();

/** Each question is asked once, however many tests check its answer. */
function ask(index: number, asked: Asked): Promise<Topper> {
  const name = JSON.stringify([index, asked]);
  const answer = answers.get(name) ?? askAnew(index, asked);
  answers.set(name, answer);
  return answer;
}

async function askAnew(index: number, { from, to, match, ...asked }: Asked): Promise<Topper> {
  const { context } = await lab.data<{ context: { counterGroup: { topper: Topper } } }>(DOCUMENT, {
    ...asked,
    meter: index,
    maxItems: MAX_ITEMS,
    filter: { match },
    window: { interval: { from, to } },
  });
  return context.counterGroup.topper;
}

const passingOf = ({ match = '' }: Asked) => {
  const pattern = new RegExp(match);
  return (key: string): boolean => pattern.test(key);
};

const questionOf = (index: number, { from, to, probe, ...more }: Asked): ReferenceQuestion => ({
  group: HOSTS,
  meter: index,
  from,
  to,
  probe,
  maxItems: MAX_ITEMS,
  passes: passingOf({ from, to, ...more }),
});

type Ends = { first: number; last: number };

const ends = new Map<string, Promise<Ends>>();

/** The group's first and last bucket with data of the probe. */
async function endsOf(probe: string | undefined): Promise<Ends> {
  const everything = questionOf(2, { ...CASES[0][1], to: T0 + 99 * DAY, ...(probe && { probe }) });
  const buckets = [...plainSteps(lab, CONTEXT, everything, HOSTS.bucket_size).keys()];
  return { first: Math.min(...buckets), last: Math.max(...buckets) };
}

/** The starts of the steps with a bucket in the window and in the interval of the probe. */
async function stepsOf(asked: Asked, step: number): Promise<number[]> {
  const known = ends.get(`${asked.probe}`) ?? endsOf(asked.probe);
  ends.set(`${asked.probe}`, known);
  const { first, last } = await known;
  const starts = new Set<number>();
  for (let bucket = first; bucket <= last; bucket += HOSTS.bucket_size) {
    if (bucket >= asked.from && bucket < asked.to) starts.add(bucket - (bucket % step));
  }
  return [...starts];
}

const numberOf = (value: bigint | undefined): number => Number(value ?? 0n);

describe.each<readonly [string, Asked]>(CASES)('a topper of %s', (_, asked) => {
  it.each(METERS)('has the values of REST and SQL, of type $type', async ({ id }) => {
    const topper = await ask(id, asked);
    const [sql] = plainToppers(lab, CONTEXT, [questionOf(id, asked)]);
    expect(topper).toMatchObject({
      total: numberOf(sql?.total),
      others: numberOf(sql?.others),
      othersMatching: numberOf(sql?.othersMatching),
      keyCount: sql?.keyCount,
    });
    const keys = sql?.keys.map(({ key, metric }) => ({ key, metric: numberOf(metric) })) ?? [];
    expect(topper.keys).toMatchObject(keys);
    expect(keys.length).toBeGreaterThan(1);
    const rest = await lab.topper({
      counter_group: HOSTS.guid,
      meter: id,
      maxitems: MAX_ITEMS,
      resolve_keys: false,
      window_fromts: asked.from,
      window_tots: asked.to,
      get_percentiles: '50,100',
      probe_id: asked.probe,
      key_filter: asked.match,
    });
    expect(rest).toMatchObject({
      sysgrouptotal: topper.others,
      keys: topper.keys.map(({ key, metric, percentiles }) => ({ key, metric, percentiles })),
    });
  });

  it.each(METERS)('has the series that SQL computes per step, of type $type', async ({ id }) => {
    const topper = await ask(id, asked);
    const listed = topper.keys.map(({ key }) => key);
    const isCounting = COUNTING.includes(id);
    const question = { ...questionOf(id, asked), maxItems: 1000 };
    const steps = plainSteps(lab, CONTEXT, question, asked.step);
    const grid = isCounting ? await stepsOf(asked, asked.step) : [...steps.keys()].sort();
    const valueAt = (at: number, key: string) =>
      steps.get(at)?.({ passes: (each) => each === key }).keys[0]?.metric;
    expect(topper.series).toEqual(
      grid.map((at) => {
        const all = steps.get(at)?.({ passes: (key) => listed.includes(key) });
        const sum = listed.reduce((before, key) => before + numberOf(valueAt(at, key)), 0);
        const total = numberOf(all?.total);
        return { at, total, others: isCounting ? total - sum : numberOf(all?.others) };
      }),
    );
    for (const { key, series } of topper.keys) {
      const expected = grid.map((at) => ({ at, value: valueAt(at, key) }));
      const counted = isCounting ? expected : expected.filter(({ value }) => value !== undefined);
      expect(series).toEqual(counted.map(({ at, value }) => ({ at, value: numberOf(value) })));
    }
  });

  it.each(METERS)('has the peak of its topper buckets, of type $type', async ({ id }) => {
    const topper = await ask(id, asked);
    const step = HOSTS.topper_bucket_size;
    const steps = plainSteps(lab, CONTEXT, questionOf(id, asked), step);
    const zeros = COUNTING.includes(id) ? await stepsOf(asked, step) : [];
    for (const { key, peak, percentiles } of topper.keys) {
      const values = [...steps.values()].flatMap(
        (answer) => answer({ passes: (each) => each === key }).keys[0]?.metric ?? [],
      );
      const all = [...values.map(Number), ...zeros.slice(values.length).map(() => 0)];
      expect(peak).toBe(Math.max(...all));
      expect(percentiles.at(-1)).toEqual({ rank: 100, value: peak });
    }
  });

  it.each(METERS)('has the previous values of its keys, of type $type', async ({ id }) => {
    const topper = await ask(id, asked);
    const { ago } = asked;
    const window = { from: asked.from - ago, to: asked.to - ago };
    const [then] = plainToppers(lab, CONTEXT, [
      { ...questionOf(id, asked), ...window, maxItems: 1000 },
    ]);
    for (const { key, metric, previous } of topper.keys) {
      const place = then?.keys.findIndex((each) => each.key === key) ?? -1;
      const before = numberOf(then?.keys[place]?.metric);
      expect(previous).toEqual({
        metric: before,
        rank: place < 0 ? null : place + 1,
        change: metric - before,
        window,
      });
    }
  });

  it.each(METERS)('has the drill-down of each key, of type $type', async ({ id }) => {
    const topper = await ask(id, asked);
    const question = { ...questionOf(id, asked), group: CROSS };
    const questions = topper.keys.flatMap(({ key }) => {
      const isUnder = (each: string) => each.startsWith(`${key}\\`);
      return [
        { ...question, maxItems: 2, passes: isUnder },
        { ...question, maxItems: 1000, passes: (each: string) => !isUnder(each) },
      ];
    });
    const sql = plainToppers(lab, CONTEXT, questions);
    for (const [i, { drilldown }] of topper.keys.entries()) {
      const [under, others] = sql.slice(2 * i);
      expect(drilldown).toEqual({
        total: numberOf(others?.others),
        others: numberOf(under?.othersMatching),
        keys: under?.keys.map((each) => ({ key: each.key, metric: numberOf(each.metric) })),
      });
    }
  });
});
