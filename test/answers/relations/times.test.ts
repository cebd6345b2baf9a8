import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { TestService } from '../../support/lab/service.ts';
import {
  AGGREGATED,
  ALL,
  type Answer,
  type Asked,
  aggregate,
  askTopper,
  askTrend,
  COUNTING,
  type ListedKey,
  probes,
  questions,
  RATES,
  shownBriefly,
  TOTALS,
  times,
  type Value,
  type Window,
} from './ask-toppers.ts';
import { ASSURED, COUNT, GROUPS, MEAN, SEED, SUM, startRelationLab } from './relation-lab.ts';

let lab: TestService;

beforeAll(async () => {
  lab = await startRelationLab();
});

afterAll(() => lab.close());

const groups = fc.constantFrom(...GROUPS);

/** ⌊a ÷ b + ½⌋ of an amount that is not negative. */
const rounded = (a: bigint, b: bigint): bigint => (2n * a + b) / (2n * b);

const divided = fc
  .record({
    group: groups,
    meter: fc.constantFrom(...AGGREGATED, ...RATES),
    at: times,
    probe: probes,
  })
  .map(({ at, ...rest }) => shownBriefly({ ...rest, at, window: { from: at[0], to: at[2] } }));

type Volume = ListedKey & { readonly volume: Value | null };

describe(`a window of two parts (seed ${SEED})`, () => {
  it('has for each key, and in total, what both parts have together', async () => {
    const isWhole = fc.asyncProperty(divided, async ({ at: [from, between, to], ...asked }) => {
      const [whole, ...parts] = await Promise.all(
        [
          { from, to },
          { from, to: between },
          { from: between, to },
        ].map((window) =>
          askTopper<Answer<Volume>>(
            lab,
            { ...asked, window, maxItems: ALL },
            `${TOTALS} keys { key metric volume }`,
          ),
        ),
      );
      if (!whole) throw new Error('the whole was asked for');
      const isRate = RATES.includes(asked.meter);
      const meter = isRate ? SUM : asked.meter;
      const together = new Map<string, bigint>();
      for (const { key, metric, volume } of parts.flatMap(({ keys }) => keys)) {
        const value = isRate ? (volume ?? 0) : metric;
        const known = together.get(key);
        together.set(key, aggregate(meter, known === undefined ? [value] : [known, value]));
      }
      const expected = whole.keys.map(({ key, metric, volume }): [string, bigint] => [
        key,
        BigInt((isRate ? volume : metric) ?? 0),
      ]);
      expect(together).toEqual(new Map(expected));
      expect(whole.keyCount).toBe(together.size);
      if (isRate) return;
      const totals = parts.filter(({ keyCount }) => keyCount > 0).map(({ total }) => total);
      expect(aggregate(meter, totals)).toBe(BigInt(whole.total));
    });
    await fc.assert(isWhole, ASSURED);
  });
});

type Point = { readonly at: number; readonly value: Value };
type TotalPoint = { readonly at: number; readonly total: Value; readonly others: Value };

type SeriesKey = ListedKey & {
  readonly peak: Value | null;
  readonly percentiles: readonly { readonly rank: number; readonly value: Value }[];
  readonly series: readonly Point[];
};

type Series = Answer<SeriesKey> & { readonly series: readonly TotalPoint[] };

const RANKS = [0, 33.3, 50, 95, 100];

const seriesOf = (asked: Asked, step: number): Promise<Series> =>
  askTopper(
    lab,
    asked,
    `${TOTALS} series(step: ${step}) { at total others }
     keys { key metric peak percentiles(ranks: [${RANKS}]) { rank value }
       series(step: ${step}) { at value } }`,
  );

/** The most steps of a series that a test asks for. */
const MOST_STEPS = 600;

/** The window, or as much of it as has so many steps. */
const shortened = ({ from, to }: Window, step: number): Window => ({
  from,
  to: Math.min(to, from + MOST_STEPS * step),
});

const multiples = fc.constantFrom(1, 2, 7, 60, 1440);

const nearestRank = (values: readonly Value[], rank: number): bigint | undefined => {
  const ascending = values.map(BigInt).toSorted((a, b) => (a < b ? -1 : a > b ? 1 : 0));
  return ascending[Math.max(1, Math.ceil((rank * 1000 * values.length) / 100_000)) - 1];
};

const isEmpty = ({ keyCount }: Answer): boolean => keyCount === 0;

describe(`a series (seed ${SEED})`, () => {
  it('has the metric of its key, and the total, in all steps together', async () => {
    const isTogether = fc.asyncProperty(
      questions(AGGREGATED),
      multiples,
      async ({ window, ...drawn }, multiple) => {
        const step = multiple * drawn.group.bucket_size;
        const asked = { ...drawn, window: shortened(window, step), maxItems: 4 };
        const { series, keys, ...answer } = await seriesOf(asked, step);
        for (const { metric, series: own } of keys) {
          const values = own.map(({ value }) => value);
          expect(aggregate(asked.meter, values)).toBe(BigInt(metric));
        }
        if (isEmpty({ ...answer, keys })) return;
        const totals = series.map(({ total }) => total);
        expect(aggregate(asked.meter, totals)).toBe(BigInt(answer.total));
        if (!COUNTING.includes(asked.meter)) return;
        const others = series.map((point) => point.others);
        expect(aggregate(asked.meter, others)).toBe(BigInt(answer.others));
      },
    );
    await fc.assert(isTogether, ASSURED);
  });

  it('in long steps has what short steps have together', async () => {
    const isTogether = fc.asyncProperty(
      questions(AGGREGATED),
      multiples,
      fc.constantFrom(2, 3, 24),
      async ({ window, ...drawn }, multiple, factor) => {
        const step = multiple * drawn.group.bucket_size;
        const asked = { ...drawn, window: shortened(window, step), maxItems: 4 };
        const short = await seriesOf(asked, step);
        const long = await seriesOf(asked, factor * step);
        const combined = (points: readonly Point[]) => {
          const found = new Map<number, Value[]>();
          for (const { at, value } of points) {
            const place = at - (at % (factor * step));
            found.set(place, [...(found.get(place) ?? []), value]);
          }
          return [...found].map(([at, values]) => ({ at, value: aggregate(asked.meter, values) }));
        };
        const exact = (points: readonly Point[]) =>
          points.map(({ at, value }) => ({ at, value: BigInt(value) }));
        for (const [i, { key, series }] of long.keys.entries()) {
          expect(short.keys[i]?.key).toBe(key);
          expect(exact(series)).toEqual(combined(short.keys[i]?.series ?? []));
        }
      },
    );
    await fc.assert(isTogether, ASSURED);
  });

  it('of topper buckets gives the percentiles and the peak', async () => {
    const isOfSeries = fc.asyncProperty(questions(), async ({ window, ...drawn }) => {
      const step = drawn.group.topper_bucket_size;
      const asked = { ...drawn, window: shortened(window, step), maxItems: 5 };
      for (const { peak, percentiles, series } of (await seriesOf(asked, step)).keys) {
        const values = series.map(({ value }) => value);
        expect(percentiles.map(({ value }) => BigInt(value))).toEqual(
          RANKS.map((rank) => nearestRank(values, rank)),
        );
        expect(peak).toBe(percentiles.at(-1)?.value);
      }
    });
    await fc.assert(isOfSeries, ASSURED);
  });
});

describe(`a mean (seed ${SEED})`, () => {
  it('is the sum divided by the count, of a key and in total, as a whole and in each step', async () => {
    const isDivided = fc.asyncProperty(
      questions([MEAN]),
      multiples,
      async ({ window, ...drawn }, multiple) => {
        const { bucket_size, sampling_rate } = drawn.group;
        const step = multiple * bucket_size;
        const rate = BigInt(sampling_rate);
        const asked = { ...drawn, window: shortened(window, step), maxItems: 200 };
        const [mean, sum, count] = await Promise.all(
          [MEAN, SUM, COUNT].map((meter) => seriesOf({ ...asked, meter }, step)),
        );
        if (!mean || !sum || !count || isEmpty(count)) return;
        const quotient = (a: Value, b: Value) => rounded(BigInt(a) * rate, BigInt(b));
        expect(BigInt(mean.total)).toBe(quotient(sum.total, count.total));
        const sums = new Map(sum.keys.map((each) => [each.key, each]));
        const counts = new Map(count.keys.map((each) => [each.key, each]));
        for (const { key, metric, series } of mean.keys) {
          const own = sums.get(key);
          const n = counts.get(key);
          // Keys beyond the largest, or with only zeros.
          if (!own || !n) continue;
          expect(BigInt(metric)).toBe(quotient(own.metric, n.metric));
          const sumAt = new Map(own.series.map(({ at, value }) => [at, value]));
          const expected = n.series.filter(({ value }) => value !== 0);
          expect(series.map(({ at, value }) => [at, BigInt(value)])).toEqual(
            expected.map(({ at, value }) => [at, quotient(sumAt.get(at) ?? 0, value)]),
          );
        }
      },
    );
    await fc.assert(isDivided, ASSURED);
  });
});

type Step = Answer & { readonly window: Window };

describe(`a trend (seed ${SEED})`, () => {
  it('has the topper of the window of each of its steps', async () => {
    const isOfWindows = fc.asyncProperty(
      questions(),
      multiples,
      fc.constantFrom(3, 10, 40),
      fc.nat(),
      async ({ window, ...drawn }, multiple, steps, chosen) => {
        const every = multiple * drawn.group.bucket_size;
        const { from, to } = window;
        const asked = {
          ...drawn,
          maxItems: 3,
          window: { from, to: Math.min(to, from + steps * every) },
        };
        const fields = `window { from to } ${TOTALS} keys { key metric }`;
        const trend = await askTrend<Step>(lab, { ...asked, every }, fields);
        const places = [0, chosen % trend.length, trend.length - 1];
        for (const place of places) {
          const step = trend[place];
          if (!step) throw new Error('a step was chosen');
          expect(await askTopper(lab, { ...asked, window: step.window }, fields)).toEqual(step);
        }
      },
    );
    await fc.assert(isOfWindows, ASSURED);
  });
});
