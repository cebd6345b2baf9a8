import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { groupBy } from '../../../domain/group-by.ts';
import { networkOf } from '../../engine/plain-networks.ts';
import { DAY } from '../../support/lab/lab.ts';
import type { TestService } from '../../support/lab/service.ts';
import {
  AGGREGATED,
  ALL,
  type Answer,
  type Asked,
  aggregate,
  askTopper,
  inOrder,
  type ListedKey,
  ofMatching,
  questions,
  shownBriefly,
  TOTALS,
  type Value,
} from './ask-toppers.ts';
import { ASSURED, CROWD_DAY, HOSTS, SEED, startRelationLab, TEXTS } from './relation-lab.ts';

let lab: TestService;

beforeAll(async () => {
  lab = await startRelationLab();
});

afterAll(() => lab.close());

const byMetric = (keys: readonly ListedKey[]) =>
  inOrder(keys, { by: ({ metric }) => metric, named: ({ key }) => key });

type Filter = Readonly<Record<string, unknown>>;

/** Two filters, of which each key passes exactly one. */
type Complements = readonly [Filter, Filter];

const PATTERNS = ['^C0', '1', '.', '^$', 'dns', '[02468]$', '\\.01'];
const NETWORKS = ['192.168.0.0/16', '192.0.2.10', '2001:db8::/112', '10.0.0.0/12', '0.0.0.0/0'];
const SOME_KEYS = ['C0.A8.01.01', '192.168.2.10', '2001:db8::1:1', '0A.00.00.02'];

const patterns: fc.Arbitrary<Complements> = fc
  .constantFrom(...PATTERNS)
  .map((pattern) => [{ match: pattern }, { exclude: pattern }]);

const listed = (keys: readonly string[]): fc.Arbitrary<Complements> =>
  fc.subarray([...keys], { minLength: 1 }).map((some) => [{ keys: some }, { excludeKeys: some }]);

const networks: fc.Arbitrary<Complements> = fc
  .subarray(NETWORKS, { minLength: 1 })
  .map((some) => [{ cidr: some }, { excludeCidr: some }]);

const searches: fc.Arbitrary<Complements> = fc
  .constantFrom('dns', 'HTTP', 'É', 'no key')
  .map((search) => [{ search }, { exclude: `(?i)${search}` }]);

const ofHosts = fc.oneof(patterns, networks, listed(SOME_KEYS));
const ofTexts = fc.oneof(patterns, searches, listed(['http', 'é', 'no such key']));

/** A question, the complements, and what both halves have to pass besides. */
const split = fc.oneof(
  fc.tuple(questions(undefined, [HOSTS]), ofHosts, ofHosts),
  fc.tuple(questions(undefined, [TEXTS]), ofTexts, ofTexts),
  fc.tuple(questions(), patterns, patterns),
);

const sizes = fc.constantFrom(1, 10, ALL);

/** Without the fields that `filter` gives: a filter can name each only once. */
const besides = (given: Filter, [one, other]: Complements): Filter =>
  Object.fromEntries(Object.entries(given).filter(([name]) => !(name in one || name in other)));

describe(`filters (seed ${SEED})`, () => {
  it('divide the keys: those that pass and those that fail are all, with their totals', async () => {
    const isDivided = fc.asyncProperty(
      split,
      sizes,
      fc.boolean(),
      async ([asked, complements, [given]], maxItems, isWithin) => {
        const within = isWithin ? besides(given, complements) : {};
        const question = { ...asked, maxItems };
        const [all, ...halves] = await Promise.all(
          [{}, ...complements].map((filter) =>
            askTopper(lab, { ...question, filter: { ...within, ...filter } }),
          ),
        );
        expectDivided(question, all as Answer, halves as [Answer, Answer]);
      },
    );
    await fc.assert(isDivided, ASSURED);
  });

  function expectDivided({ meter, maxItems }: Asked, all: Answer, halves: [Answer, Answer]): void {
    const [pass, fail] = halves;
    expect(pass.keyCount + fail.keyCount).toBe(all.keyCount);
    expect([pass.total, fail.total]).toEqual([all.total, all.total]);
    const keys = byMetric([...pass.keys, ...fail.keys]).slice(0, maxItems);
    expect(keys.map(({ metric }) => metric)).toEqual(all.keys.map(({ metric }) => metric));
    const known = new Map(keys.map(({ key, metric }) => [key, metric]));
    for (const { key, metric } of all.keys) expect(known.get(key) ?? metric).toBe(metric);
    if (!AGGREGATED.includes(meter)) return;
    expect(keys).toEqual(all.keys);
    const matching = aggregate(meter, ofMatching(all));
    expect(aggregate(meter, halves.flatMap(ofMatching))).toBe(matching);
    for (const { keys: own, others } of halves) {
      if (own.length === 0) expect(BigInt(others)).toBe(BigInt(all.total));
    }
  }

  it('leave to the others what they do not list', async () => {
    const isLeft = fc.asyncProperty(
      questions(AGGREGATED),
      patterns,
      sizes,
      async (asked, [filter, complement], maxItems) => {
        const few = await askTopper(lab, { ...asked, filter, maxItems });
        const fail = await askTopper(lab, { ...asked, filter: complement, maxItems: 1 });
        const rest = few.keyCount > few.keys.length ? [few.othersMatching] : [];
        const others = [...rest, ...ofMatching(fail)];
        expect(BigInt(few.others)).toBe(aggregate(asked.meter, others));
        const listedKeys = few.keys.map(({ metric }) => metric);
        const isAll = few.keyCount + fail.keyCount === few.keys.length;
        const all = isAll ? listedKeys : [...listedKeys, few.others];
        expect(BigInt(few.total)).toBe(aggregate(asked.meter, all));
      },
    );
    await fc.assert(isLeft, ASSURED);
  });
});

type Ranked = ListedKey & { readonly rank: number; readonly rankValue: Value };

const RANKED = `${TOTALS} keys { rank key metric rankValue }`;

/** Nearly the whole day of most addresses. */
const ofCrowd = fc
  .tuple(questions(AGGREGATED, [HOSTS]), fc.nat({ max: 30_000 }), fc.nat({ max: 30_000 }))
  .map(([asked, after, before]) => ({
    ...asked,
    window: { from: CROWD_DAY + after, to: CROWD_DAY + DAY - before },
  }))
  .map(shownBriefly);

const rankings = fc.constantFrom('METRIC', 'METRIC', 'PEAK', 'PERCENTILE', 'GROWTH', 'NEW');
const prefixes = fc.constantFrom(undefined, undefined, { ipv4: 20, ipv6: 112 });

describe(`the largest keys (seed ${SEED})`, () => {
  it('are the first of any longer list, whatever they are ranked by', async () => {
    const isHead = fc.asyncProperty(
      questions(),
      rankings,
      prefixes,
      async (drawn, rankBy, prefix) => {
        const asked = { ...drawn, rankBy, ...(drawn.group === HOSTS && prefix && { prefix }) };
        const [few, many] = await Promise.all(
          [10, 100].map((maxItems) =>
            askTopper<Answer<Ranked>>(lab, { ...asked, maxItems }, RANKED),
          ),
        );
        if (!few || !many) throw new Error('both were asked for');
        expect(few.keys).toEqual(many.keys.slice(0, 10));
        expect(many.keys.map(({ rank }) => rank)).toEqual(many.keys.map((_, i) => i + 1));
        expect([few.total, few.keyCount]).toEqual([many.total, many.keyCount]);
        if (!AGGREGATED.includes(asked.meter) || rankBy !== 'METRIC') return;
        for (const name of ['others', 'othersMatching'] as const) {
          const between = many.keys.slice(10).map(({ metric }) => metric);
          const rest = many.keyCount > many.keys.length ? [many[name]] : [];
          expect(BigInt(few[name])).toBe(aggregate(asked.meter, [...between, ...rest]));
        }
      },
    );
    await fc.assert(isHead, ASSURED);
  });

  it('are the same without the number of keys, which needs all of them, cached or not', async () => {
    const isSame = fc.asyncProperty(
      fc.oneof(ofCrowd, questions()),
      fc.constantFrom(1, 10, 100),
      async (asked, maxItems) => {
        const question = { ...asked, maxItems };
        lab.emptyCaches();
        const short = await askTopper<object>(lab, question, 'total others keys { key metric }');
        expect(await askTopper(lab, question)).toMatchObject(short);
      },
    );
    await fc.assert(isSame, ASSURED);
  });

  it('by their largest topper bucket or a percentile of them are those of all keys', async () => {
    const isOfAll = fc.asyncProperty(
      questions(),
      fc.constantFrom(50, 95, 100),
      async (asked, percentile) => {
        const all = await askTopper<
          Answer<Ranked & { peak: Value; percentiles: [{ value: Value }] }>
        >(
          lab,
          { ...asked, maxItems: 300, filter: { exclude: '^0A' } },
          `${TOTALS} keys { key metric peak percentiles(ranks: [${percentile}]) { value } }`,
        );
        const few = { ...asked, maxItems: 10, filter: { exclude: '^0A' } };
        for (const rankBy of ['PEAK', 'PERCENTILE']) {
          const { keys } = await askTopper<Answer<Ranked>>(
            lab,
            rankBy === 'PEAK' ? { ...few, rankBy } : { ...few, rankBy, percentile },
            RANKED,
          );
          const by = all.keys.map(({ key, peak, percentiles: [{ value }] }) => ({
            key,
            value: rankBy === 'PEAK' ? peak : value,
          }));
          const ordered = inOrder(by, { by: ({ value }) => value, named: ({ key }) => key });
          expect(keys.map(({ rankValue }) => rankValue)).toEqual(
            ordered.slice(0, 10).map(({ value }) => value),
          );
          const values = new Map(by.map(({ key, value }) => [key, value]));
          for (const { key, rankValue } of keys) expect(rankValue).toBe(values.get(key));
        }
      },
    );
    await fc.assert(isOfAll, ASSURED);
  });
});

const lengths = fc.record({
  ipv4: fc.constantFrom(0, 8, 13, 24, 29, 32),
  ipv6: fc.constantFrom(0, 48, 112, 113, 127, 128),
});

describe(`networks (seed ${SEED})`, () => {
  it('have what their addresses have together', async () => {
    const isTogether = fc.asyncProperty(
      questions(AGGREGATED, [HOSTS]),
      lengths,
      sizes,
      async (asked, prefix, maxItems) => {
        const addresses = await askTopper(lab, { ...asked, maxItems: ALL });
        const values = groupBy(addresses.keys, ({ key }) => networkOf(key, prefix));
        const expected = [...values].map(([key, keys]) => {
          const metrics = keys.map(({ metric }) => metric);
          return { key, metric: aggregate(asked.meter, metrics) };
        });
        const answer = await askTopper(lab, { ...asked, prefix, maxItems });
        expect(answer.keyCount).toBe(expected.length);
        expect(answer.total).toBe(addresses.total);
        const ordered = inOrder(expected, { by: ({ metric }) => metric, named: ({ key }) => key });
        expect(answer.keys.map(({ key, metric }) => ({ key, metric: BigInt(metric) }))).toEqual(
          ordered.slice(0, maxItems),
        );
        const others = ordered.slice(maxItems).map(({ metric }) => metric);
        expect(BigInt(answer.others)).toBe(aggregate(asked.meter, others));
      },
    );
    await fc.assert(isTogether, ASSURED);
  });
});
