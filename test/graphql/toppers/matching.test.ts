import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { GROUPS } from '../../answers/several-days.ts';
import { openStream } from '../../support/http/event-stream.ts';
import { DAY, type DeclaredGroup, startLab, T0 } from '../../support/lab/lab.ts';
import { ADA, basic, type Line, type TestService } from '../../support/lab/service.ts';
import { FUZZ_CASES } from '../../support/random/fuzz-cases.ts';
import { plainSteps, plainToppers } from '../../support/reference/plain-topper.ts';
import {
  type ReferenceQuestion,
  referenceTopper,
} from '../../support/reference/reference-topper.ts';

const keyOf = ({ key_kind }: DeclaredGroup, n: number): string =>
  key_kind === 'text' ? `k${n}` : n.toString(16).toUpperCase().padStart(2, '0');

/** Few buckets for many keys, so that several keys have readings in the same bucket. */
const randomLines = (): Line[] =>
  GROUPS.flatMap((each) =>
    fc
      .sample(
        fc.record({
          key: fc.nat(20),
          at: fc.nat(2 * DAY - 1),
          value: fc.nat(9),
          probe: fc.boolean(),
        }),
        { numRuns: 400, seed: 11 },
      )
      .map(({ key, at, value, probe }) => ({
        group: each.guid,
        key: keyOf(each, key),
        ts: T0 + (at % 2 === 0 ? at % 7200 : at),
        values: Object.fromEntries(each.meters.map(({ id }) => [id, value])),
        ...(probe && { probe: 'p1' }),
      })),
  );

const [FIRST] = GROUPS as [DeclaredGroup];
const meterOf = (type: number): number => FIRST.meters.find((each) => each.type === type)?.id ?? -1;

/** The number of a counter. */
const BYTES = meterOf(2);

let lab: TestService;

beforeAll(async () => {
  lab = await startLab({ groups: GROUPS });
  const lines = randomLines();
  await lab.importSamples(lines.slice(0, 500));
  await lab.importSamples(lines.slice(500));
});

afterAll(() => lab.close());

const MATCHING = `matching { total share keyCount peak percentiles(ranks: [0, 50, 95, 100]) { rank value }
  series(step: $step) { at value } }`;

const QUERY = `query ($guid: Guid!, $meter: Int!, $window: WindowInput, $items: Int!, $probe: String
  $rankBy: RankBy! = METRIC, $ago: Int, $step: Int, $filter: KeyFilterInput) {
  context(name: "lab") { counterGroup(guid: $guid) { topper(
    meter: $meter, window: $window, maxItems: $items, probe: $probe, filter: $filter
    rankBy: $rankBy, ago: $ago
  ) { ${MATCHING} } } } }`;

type Matching = {
  total: number;
  share: number | null;
  keyCount: number;
  peak: number | null;
  percentiles: { rank: number; value: number }[];
  series: { at: number; value: number }[];
};

type Answer = { context: { counterGroup: { topper: { matching: Matching } } } };

/** The filters of the property, and the same rule in plain words. */
const FILTERS: readonly {
  readonly filter: object | null;
  readonly passes: (key: string) => boolean;
}[] = [
  { filter: null, passes: () => true },
  { filter: { match: '[02468]$' }, passes: (key) => /[02468]$/.test(key) },
  { filter: { exclude: '1' }, passes: (key) => !key.includes('1') },
  { filter: { match: '^nothing$' }, passes: () => false },
];

/** Stands for all keys that pass: no key of the data is called so. */
const ALL = 'FFFFFF';

const RANKS = [0, 50, 95, 100];

/** What the answer must be: the keys that pass are one key, and the others stay as they are. */
function expected(question: ReferenceQuestion, step: number): Matching {
  const passes = question.passes ?? (() => true);
  const [plain] = plainToppers(lab, 'lab', [question]);
  const merged = lab
    .imported('lab')
    .map((line) =>
      line.group === question.group.guid && passes(line.key) ? { ...line, key: ALL } : line,
    );
  const one = { ...question, maxItems: 100, passes: (key: string) => key === ALL };
  const [all] = referenceTopper(merged, { ...one, ranks: RANKS }).keys;
  const type = question.group.meters.find(({ id }) => id === question.meter)?.type ?? 0;
  const isCounting = [1, 2, 3, 4, 10].includes(type);
  const steps = plainSteps({ imported: () => merged }, 'lab', one, step);
  const total = Number(all?.metric ?? 0n);
  const percentiles = (all?.percentiles ?? []).map(({ rank, value }) => ({
    rank,
    value: Number(value),
  }));
  return {
    total,
    share: isCounting ? shareOf(merged, one) : null,
    keyCount: plain?.keyCount ?? 0,
    peak: percentiles.at(-1)?.value ?? null,
    percentiles,
    series: [...steps]
      .flatMap(([at, topperOf]) => {
        const { keys } = topperOf({});
        return keys.length === 0 ? [] : [{ at, value: Number(keys[0]?.metric) }];
      })
      .sort((a, b) => a.at - b.at),
  };
}

/** In volumes, which are not rounded. */
function shareOf(lines: readonly Line[], question: ReferenceQuestion): number {
  const asSum = { ...question, group: { ...question.group, topper_bucket_size: 1 } };
  const { total, keys } = referenceTopper(lines, asSum);
  return keys[0] ? Number(keys[0].metric) / Number(total) : 0;
}

describe('all keys that pass a filter', () => {
  it('are one key that has the readings of all of them', async () => {
    const question = fc.record({
      group: fc.constantFrom(...GROUPS),
      meterPlace: fc.nat(),
      from: fc.integer({ min: -3600, max: 2 * DAY }),
      length: fc.oneof(fc.integer({ min: 1, max: 7200 }), fc.integer({ min: 1, max: 2 * DAY })),
      items: fc.constantFrom(1, 3, 100),
      stepPlace: fc.nat(),
      probe: fc.constantFrom(null, 'p1'),
      rankBy: fc.constantFrom('METRIC', 'PEAK', 'PERCENTILE', 'GROWTH', 'DECLINE', 'NEW'),
      filter: fc.constantFrom(...FILTERS),
    });
    await fc.assert(
      fc.asyncProperty(question, async (asked) => {
        const { group, from, length, items, probe, rankBy, filter } = asked;
        const meter = group.meters[asked.meterPlace % group.meters.length]?.id ?? 0;
        const { bucket_size: bucket, topper_bucket_size: topperBucket } = group;
        const fine = length / bucket < 9000 ? bucket : topperBucket;
        const step = [fine, topperBucket, 6 * topperBucket][asked.stepPlace % 3] ?? 0;
        const window = { from: T0 + from, to: T0 + from + length };
        const { matching } = (
          await lab.data<Answer>(QUERY, {
            guid: group.guid,
            meter,
            items,
            probe,
            rankBy,
            step,
            filter: filter.filter,
            window: { interval: window },
            ago: ['GROWTH', 'DECLINE', 'NEW'].includes(rankBy) ? 3600 : null,
          })
        ).context.counterGroup.topper;
        const plain = expected(
          { group, meter, ...window, probe: probe ?? undefined, passes: filter.passes },
          step,
        );
        const { series, percentiles, peak, share, ...counted } = matching;
        const { series: steps_, percentiles: ranks, peak: highest, share: part, ...rest } = plain;
        expect(counted).toEqual(rest);
        if (part === null) expect(share).toBeNull();
        else expect(share).toBeCloseTo(part, 12);
        // Zeros of counters are not stored: the plain series has no such steps.
        expect(series.filter(({ value }) => value !== 0)).toEqual(
          steps_.filter(({ value }) => value !== 0),
        );
        if (ranks.length === 0) return;
        expect(percentiles).toEqual(ranks);
        expect(peak).toBe(highest);
      }),
      { numRuns: FUZZ_CASES, endOnFailure: true },
    );
  });

  it('are none: totals of an empty group, and no share', async () => {
    const ask = async (meter: number, rankBy: string): Promise<Matching> => {
      const window = { interval: { from: T0, to: T0 + 600 } };
      const filter = { match: '^nothing$' };
      const variables = { guid: FIRST.guid, meter, items: 5, rankBy, step: 300, filter, window };
      const answer = await lab.data<Answer>(QUERY, variables);
      return answer.context.counterGroup.topper.matching;
    };
    const zeros = [T0, T0 + 300].map((at) => ({ at, value: 0 }));
    for (const rankBy of ['METRIC', 'DECLINE']) {
      expect(await ask(meterOf(2), rankBy)).toEqual({
        total: 0,
        share: 0,
        keyCount: 0,
        peak: 0,
        percentiles: RANKS.map((rank) => ({ rank, value: 0 })),
        series: zeros,
      });
      expect(await ask(meterOf(5), rankBy)).toEqual({
        total: 0,
        share: null,
        keyCount: 0,
        peak: null,
        percentiles: [],
        series: [],
      });
    }
  });

  it('can be subscribed to, and are in each step of a trend', async () => {
    const { guid } = FIRST;
    const window = `window: { interval: { from: ${T0}, to: ${T0 + 7200} } }`;
    const args = `meter: ${BYTES}, ${window}, filter: { match: "[02468]$" }`;
    const fields = 'matching { total keyCount series(step: 3600) { value } }';
    const topper = await lab.data<{ context: { counterGroup: { topper: unknown } } }>(
      `{ context(name: "lab") { counterGroup(guid: "${guid}") { topper(${args}) { ${fields} } } } }`,
    );
    const followed = `subscription { topper(context: "lab", counterGroup: "${guid}", ${args}) { ${fields} } }`;
    const stream = await openStream(lab.url, followed, { headers: basic(ADA) });
    expect(await stream.answer()).toEqual({ topper: topper.context.counterGroup.topper });
    stream.close();
    const trend = await lab.data<{
      context: {
        counterGroup: {
          topperTrend: { matching: { total: number; series: { value: number }[] } }[];
        };
      };
    }>(
      `{ context(name: "lab") { counterGroup(guid: "${guid}") {
        topperTrend(every: 3600, ${args}) { matching { total series(step: 3600) { value } } } } } }`,
    );
    for (const { matching } of trend.context.counterGroup.topperTrend) {
      expect(matching.series).toEqual([{ value: matching.total }]);
    }
  });

  it('are in the answer of REST if it is asked for', async () => {
    const ask = (more: Record<string, string>) =>
      lab.rest('topper', {
        counter_group: FIRST.guid,
        meter: String(BYTES),
        key_filter: '[02468]$',
        window_fromts: String(T0),
        window_tots: String(T0 + 7200),
        maxitems: '2',
        ...more,
      });
    const variables = {
      guid: FIRST.guid,
      meter: BYTES,
      items: 2,
      step: 300,
      filter: { match: '[02468]$' },
      window: { interval: { from: T0, to: T0 + 7200 } },
    };
    const { matching } = (await lab.data<Answer>(QUERY, variables)).context.counterGroup.topper;
    const { total, percentiles } = matching;
    expect((await ask({})).body).not.toHaveProperty('matching');
    expect((await ask({ matching: 'true' })).body).toMatchObject({ matching: { total } });
    expect((await ask({ matching: 'true', get_percentiles: '0,50,95,100' })).body).toMatchObject({
      matching: { total, percentiles },
    });
    expect(await ask({ matching: 'true', format: 'csv' })).toMatchObject({
      status: 400,
      body: { message: 'format must be json with matching=true, got "csv"' },
    });
  });

  it('need no more statements than a topper and its keys', async () => {
    const counted = async (fields: string): Promise<number> => {
      lab.emptyCaches();
      const statements = lab.watchStatements();
      await lab.data(
        `{ context(name: "lab") { counterGroup(guid: "${FIRST.guid}") { topper(
          meter: ${BYTES}, window: { preset: ALL_AVAILABLE }, filter: { match: "2" }) { ${fields} } } } }`,
      );
      return statements().length;
    };
    const own = await counted('total keys { percentiles(ranks: [95]) { value } }');
    expect(await counted('matching { total share keyCount }')).toBeLessThan(own);
    const series = 'matching { total peak percentiles(ranks: [95]) { value } series { value } }';
    expect(await counted(series)).toBeLessThanOrEqual(own);
  });
});
