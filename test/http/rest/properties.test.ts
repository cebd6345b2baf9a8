import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { TopperBody } from '../../support/http/answers.ts';
import { startLab } from '../../support/lab/lab.ts';
import type { Line, TestService } from '../../support/lab/service.ts';
import { FUZZ_CASES } from '../../support/random/fuzz-cases.ts';
import {
  GROUPS,
  interval,
  PROBES,
  question,
  type RandomQuestion,
  samples,
} from '../../support/random/random-samples.ts';
import { referenceTopper } from '../../support/reference/reference-topper.ts';

let lab: TestService;

/** Every context has its own samples; a failure is reported with its number and the seed. */
const DATA_SETS = fc.sample(samples, { numRuns: 8, seed: 20_240_715 });

const contextOf = (dataSet: number): string => (dataSet === 0 ? 'lab' : `lab${dataSet}`);

beforeAll(async () => {
  const probes = PROBES.map((id) => ({ id }));
  lab = await startLab({ groups: GROUPS, declaration: { probes } });
  const contexts = DATA_SETS.map((_, i) => contextOf(i));
  for (const [i, lines] of DATA_SETS.entries()) {
    const context = contextOf(i);
    await lab.apply({ context, groups: GROUPS, probes });
    // Two files, some of another engine: readings combine within a file and across files.
    const half = lines.filter((_, index) => index % 2 === 0);
    const rest = lines.filter((_, index) => index % 2 === 1);
    await lab.importSamples(half, { context });
    await lab.importSamples(rest, { context, engine: i % 2 });
  }
  await lab.addUser({ username: 'eve', token: 'eve-token' }, contexts);
});

afterAll(() => lab.close());

const dataSet = fc.integer({ min: 0, max: DATA_SETS.length - 1 });

const linesOf = (index: number): readonly Line[] => DATA_SETS[index] ?? [];

const ask = (index: number, asked: Partial<RandomQuestion>): Promise<TopperBody> =>
  lab.topper({
    username: 'eve',
    api_token: 'eve-token',
    context: contextOf(index),
    counter_group: asked.group?.guid,
    meter: asked.meter,
    resolve_keys: false,
    window_fromts: asked.from,
    window_tots: asked.to,
    maxitems: asked.maxItems ?? 100,
    probe_id: asked.probe,
    key_filter: asked.match,
    inverse_key_filter: asked.exclude,
    get_percentiles: asked.ranks ?? [],
  });

const number = (value: bigint): number | bigint =>
  Number.isSafeInteger(Number(value)) ? Number(value) : value;

function expectedBody(index: number, asked: RandomQuestion): TopperBody {
  const { others, keys } = referenceTopper(linesOf(index), asked);
  return {
    counter_group: asked.group.guid,
    meter: asked.meter,
    sysgrouptotal: number(others),
    keys: keys.map(({ key, metric, percentiles }) => ({
      key,
      metric: number(metric),
      ...(asked.ranks.length > 0 && {
        percentiles: percentiles.map(({ rank, value }) => ({ rank, value: number(value) })),
      }),
    })),
  };
}

describe('the topper of any samples', () => {
  it('equals a plain implementation of the decisions', async () => {
    const isAsExpected = fc.asyncProperty(dataSet, question, async (index, asked) => {
      expect(await ask(index, asked)).toEqual(expectedBody(index, asked));
    });
    await fc.assert(isAsExpected, { numRuns: FUZZ_CASES });
  });

  it('has the total, others and counts of that implementation in GraphQL', async () => {
    const document = `query ($context: String!, $guid: Guid!, $meter: Int!, $maxItems: Int!,
        $window: WindowInput, $filter: KeyFilterInput, $probe: String) {
      context(name: $context) { counterGroup(guid: $guid) { topper(meter: $meter, window: $window,
        maxItems: $maxItems, filter: $filter, probe: $probe) {
          total others othersMatching keyCount keys { rank key metric } } } } }`;
    const isAsExpected = fc.asyncProperty(dataSet, question, async (index, asked) => {
      const { group, meter, from, to, maxItems, match, exclude, probe } = asked;
      const variables = {
        context: contextOf(index),
        guid: group.guid,
        meter,
        maxItems,
        probe,
        window: { interval: { from, to } },
        filter: { match, exclude },
      };
      const { keys, ...totals } = referenceTopper(linesOf(index), asked);
      const big = (value: bigint) =>
        Number.isSafeInteger(Number(value)) ? Number(value) : String(value);
      const answer = await lab.data(document, variables, { username: 'eve', token: 'eve-token' });
      expect(answer).toEqual({
        context: {
          counterGroup: {
            topper: {
              total: big(totals.total),
              others: big(totals.others),
              othersMatching: big(totals.othersMatching),
              keyCount: totals.keyCount,
              keys: keys.map(({ key, metric }, i) => ({ rank: i + 1, key, metric: big(metric) })),
            },
          },
        },
      });
    });
    await fc.assert(isAsExpected, { numRuns: Math.ceil(FUZZ_CASES / 2) });
  });
});

/** The exact metrics by key, to add them up. */
const metricsOf = ({ keys }: TopperBody): Map<string, bigint> =>
  new Map(keys.map(({ key, metric }) => [key, BigInt(metric)]));

const COUNTERS = [2, 3];
/** A group with topper buckets of one second, where a rate equals its volume. */
const SECONDS = GROUPS[2];
const RATES = [1, 4, 10];

const countingQuestion = fc.oneof(
  fc.record({ group: fc.constantFrom(...GROUPS), meter: fc.constantFrom(...COUNTERS) }),
  fc.record({
    group: fc.constantFrom(...GROUPS.filter((each) => each === SECONDS)),
    meter: fc.constantFrom(...RATES),
  }),
);

describe('adjacent windows', () => {
  it('add up to the whole: [a,b) and [b,c) make [a,c) (decision 18)', async () => {
    const isPartition = fc.asyncProperty(
      ...([
        dataSet,
        countingQuestion,
        interval,
        fc.double({ min: 0, max: 1, noNaN: true }),
      ] as const),
      async (index, asked, { from, to }, share) => {
        const middle = Math.min(to - 1, Math.max(from + 1, Math.round(from + share * (to - from))));
        fc.pre(from < middle && middle < to);
        const [left, right, whole] = await Promise.all([
          ask(index, { ...asked, from, to: middle }),
          ask(index, { ...asked, from: middle, to }),
          ask(index, { ...asked, from, to }),
        ]);
        const a = metricsOf(left);
        const b = metricsOf(right);
        const sums = [...new Set([...a.keys(), ...b.keys()])].map(
          (key) => [key, (a.get(key) ?? 0n) + (b.get(key) ?? 0n)] as const,
        );
        expect(new Map(sums)).toEqual(metricsOf(whole));
      },
    );
    await fc.assert(isPartition, { numRuns: Math.ceil(FUZZ_CASES / 3) });
  });
});

describe('the listed keys and the others', () => {
  it('add up to the total, however many are listed', async () => {
    const isComplete = fc.asyncProperty(
      ...([dataSet, countingQuestion, interval, fc.integer({ min: 1, max: 12 })] as const),
      async (index, asked, window, maxItems) => {
        const whole = await ask(index, { ...asked, ...window });
        const part = await ask(index, { ...asked, ...window, maxItems });
        const sum = (body: TopperBody) =>
          [...metricsOf(body).values()].reduce((a, b) => a + b, BigInt(body.sysgrouptotal));
        expect(sum(part)).toBe(sum(whole));
        expect(whole.sysgrouptotal).toBe(0);
        expect(part.keys).toEqual(whole.keys.slice(0, maxItems));
      },
    );
    await fc.assert(isComplete, { numRuns: Math.ceil(FUZZ_CASES / 3) });
  });
});
