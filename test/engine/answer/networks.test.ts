import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { KeyFilter } from '../../../domain/filters/key-filter.ts';
import { compareExact, type Exact } from '../../../domain/toppers/exact.ts';
import { isCounting } from '../../../domain/toppers/meter-type.ts';
import { combine } from '../../../domain/toppers/topper-arithmetic.ts';
import { answerSegments } from '../../../engine/answer/answer-segments.ts';
import type {
  BlockQuestion,
  NamedMatcher,
  RankedKeys,
  TopKeys,
} from '../../../engine/plan/key-questions.ts';
import type { SegmentReader } from '../../../engine/snapshot/segment-reader.ts';
import { rankBySeries } from '../../../engine/toppers/rank-by-series.ts';
import { FUZZ_CASES } from '../../support/random/fuzz-cases.ts';
import { type Asked, lengths, plainNetworks, plainSteps } from '../plain-networks.ts';
import { aggregateAt, meterIndexes, readOf, rollUpsOf, stores, windows } from '../random-stores.ts';
import { GROUP, storeWith, type TestStore } from '../stored-segments.ts';

const asked = fc.record({
  meterIndex: meterIndexes,
  probeId: fc.constantFrom(null, 0, 5),
  prefix: lengths,
  maxItems: fc.constantFrom(1, 3, 12, 100),
  seed: fc.array(fc.nat(), { maxLength: 6 }),
});

/** A filter on networks, and the same condition as a plain function. */
const filters: fc.Arbitrary<[KeyFilter, (network: string) => boolean] | null> = fc.constantFrom(
  null,
  [{ match: '^C0\\.A8\\.01\\.[0-9A-F]+/' }, (key: string) => /^C0\.A8\.01\.[0-9A-F]+\//.test(key)],
  [{ exclude: '/1[0-9A-F]$' }, (key: string) => !/\/1[0-9A-F]$/.test(key)],
  [
    { keys: ['192.168.1.0/24', 'C0.A8.01.08/1D'] },
    (key: string) => ['C0.A8.01.00/18', 'C0.A8.01.08/1D'].includes(key),
  ],
  [{ search: '192.168' }, (key: string) => /^C0\.A8\.[^.]+\.[^.]+\//.test(key)],
);

const passingIn = ({ threadPool, caller }: SegmentReader, filter: KeyFilter): NamedMatcher => ({
  name: JSON.stringify(filter),
  match: (keys) => threadPool.match(keys, { networks: filter }, caller),
});

type Ranked = { readonly key: string; readonly by: Exact };

const inOrder = (list: readonly Ranked[]): Ranked[] =>
  list.toSorted((a, b) => compareExact(b.by, a.by) || (a.key < b.key ? -1 : 1));

const byValue = (values: ReadonlyMap<string, Exact>): Ranked[] =>
  inOrder([...values].map(([key, by]) => ({ key, by })));

const question = (
  { reader, live }: TestStore,
  { read, ...put }: { readonly read: ReturnType<typeof readOf>; readonly question: BlockQuestion },
) => answerSegments(reader, live, [{ group: GROUP, read, ...put }], null);

/** Checks the total, and the others besides the listed networks. */
function expectSurroundings(
  answer: TopKeys | RankedKeys,
  values: ReadonlyMap<string, Exact>,
  {
    meterIndex,
    passes,
  }: { readonly meterIndex: number; readonly passes: (network: string) => boolean },
): void {
  const listed = new Set(answer.listed.map(({ key }) => key));
  const others = [...values].filter(([key]) => !listed.has(key));
  const ofThem = (list: typeof others): Exact | null =>
    combine(
      list.map(([, value]) => value),
      aggregateAt(meterIndex),
    );
  expect(answer.total).toEqual(ofThem([...values]));
  expect(answer.others).toEqual(ofThem(others));
  expect(answer.othersMatching).toEqual(ofThem(others.filter(([key]) => passes(key))));
}

const less = (a: Exact, b: Exact): Exact => ({
  sum: a.sum * b.count - b.sum * a.count,
  count: a.count * b.count,
});

const NOTHING: Exact = { sum: 0n, count: 1n };

describe('networks', () => {
  it('equal plain arithmetic, with totals, others and ranks, whatever the segments and roll-ups', async () => {
    await fc.assert(
      fc.asyncProperty(
        stores,
        windows,
        asked,
        filters,
        async (contents, window, { maxItems, seed, ...each }, filter) => {
          const store = await storeWith(contents, rollUpsOf(contents, seed));
          const read = { ...readOf(each.meterIndex, window, each.probeId), prefix: each.prefix };
          const passes = filter?.[1] ?? (() => true);
          const selection = {
            within: null,
            passing: filter && passingIn(store.reader, filter[0]),
          };
          const values = plainNetworks(contents, window, each);
          const ranked = byValue(values).filter(({ key }) => passes(key));
          const top = { kind: 'top', maxItems, ...selection } as const;
          const [answer] = await question(store, { read, question: top });
          if (answer?.kind !== 'top') throw new Error('the first networks were asked for');
          expect(answer.listed.map(({ key, value }) => ({ key, by: value }))).toEqual(
            ranked.slice(0, maxItems),
          );
          expect(answer.keyCount).toBe(ranked.length);
          expectSurroundings(answer, values, { meterIndex: each.meterIndex, passes });

          const keys = ['C0.A8.01.00/18', 'FF.00.00.00/08', ...values.keys()];
          const ranks = { kind: 'ranks', keys, ...selection } as const;
          expect(await question(store, { read, question: ranks })).toEqual([
            {
              kind: 'ranks',
              ranks: keys.map((key) => {
                const index = ranked.findIndex((own) => own.key === key);
                return index === -1 ? null : { value: values.get(key), rank: index + 1 };
              }),
            },
          ]);
        },
      ),
      { numRuns: FUZZ_CASES },
    );
  });

  it('are ranked by change as in plain arithmetic', async () => {
    await fc.assert(
      fc.asyncProperty(
        stores,
        windows,
        asked,
        fc.record({
          change: fc.constantFrom('growth', 'decline', 'new'),
          ago: fc.integer({ min: 1, max: 9000 }),
        }),
        async (contents, window, { maxItems, seed, ...each }, { change, ago }) => {
          const since = { from: window.from - ago, to: window.to - ago };
          const store = await storeWith(contents, rollUpsOf(contents, seed));
          const read = { ...readOf(each.meterIndex, window, each.probeId), prefix: each.prefix };
          const put = { kind: 'changes', change, since, maxItems, within: null, passing: null };
          const [answer] = await question(store, { read, question: put as BlockQuestion });
          if (answer?.kind !== 'ranked') throw new Error('a ranking was asked for');
          const now = plainNetworks(contents, window, each);
          const then = plainNetworks(contents, since, each);
          const changed = [...new Set([...now.keys(), ...then.keys()])].flatMap((key) => {
            const own = now.get(key);
            const before = then.get(key);
            if (change === 'new') return own && !before ? [{ key, by: own }] : [];
            const grown = less(own ?? NOTHING, before ?? NOTHING);
            const by = change === 'growth' ? grown : { ...grown, sum: -grown.sum };
            return (change === 'decline' || own) && by.sum > 0n ? [{ key, by }] : [];
          });
          expect(answer.listed).toEqual(
            inOrder(changed)
              .slice(0, maxItems)
              .map(({ key }) => ({
                key,
                value: now.get(key) ?? null,
                compared: then.get(key) ?? null,
              })),
          );
          expect(answer.keyCount).toBe(changed.length);
          expectSurroundings(answer, now, { meterIndex: each.meterIndex, passes: () => true });
        },
      ),
      { numRuns: FUZZ_CASES },
    );
  });

  it('are ranked by a topper bucket as in plain arithmetic', async () => {
    await fc.assert(
      fc.asyncProperty(
        stores,
        windows,
        asked,
        fc.record({
          percentile: fc.constantFrom(null, 0, 30, 50, 95, 99.9, 100),
          more: fc.constantFrom(0, 1, 40),
          firstKeys: fc.constantFrom(1, 4, 512),
          firstRead: fc.constantFrom(1, 3, 512),
          keysAtOnce: fc.constantFrom(1, 5, 1024),
        }),
        async (contents, window, { maxItems, seed, ...each }, { percentile, more, ...sizes }) => {
          const { reader, live } = await storeWith(contents, rollUpsOf(contents, seed));
          const read = { ...readOf(each.meterIndex, window, each.probeId), prefix: each.prefix };
          const values = plainNetworks(contents, window, each);
          const steps = plainSteps(contents, window, { ...each, step: 300 });
          const bucketCount =
            Math.floor((window.to - 1) / 300) - Math.floor(window.from / 300) + 1 + more;
          const by = (key: string): Exact =>
            bucketOf(steps, key, { bucketCount, percentile, each });
          const ranked = inOrder([...values.keys()].map((key) => ({ key, by: by(key) })));
          const selection = { within: null, passing: null };
          const put = { kind: 'series', percentile, bucketCount, maxItems, ...selection } as const;
          const answer = await rankBySeries(
            reader,
            live,
            { group: GROUP, read, question: put },
            { deadline: null, sizes },
          );
          expect(answer.listed.map(({ key, compared }) => ({ key, by: compared }))).toEqual(
            ranked.slice(0, maxItems),
          );
          expect(answer.keyCount).toBe(ranked.length);
          expectSurroundings(answer, values, { meterIndex: each.meterIndex, passes: () => true });
        },
      ),
      { numRuns: FUZZ_CASES },
    );
  });
});

type Bucket = {
  readonly bucketCount: number;
  readonly percentile: number | null;
  readonly each: Asked;
};

/** Returns the value of the topper bucket that ranks a network (decision 27). */
function bucketOf(
  steps: ReadonlyMap<string, readonly [number, Exact][]>,
  key: string,
  { bucketCount, percentile, each }: Bucket,
): Exact {
  const own = (steps.get(key) ?? []).map(([, value]) => value).toSorted(compareExact);
  const zeros = isCounting(aggregateAt(each.meterIndex)) ? bucketCount - own.length : 0;
  const all = [...Array.from({ length: zeros }, () => NOTHING), ...own];
  const thousandths = BigInt(Math.round((percentile ?? 100) * 1000));
  const position = Number((thousandths * BigInt(all.length) + 99_999n) / 100_000n);
  return all[Math.max(1, position) - 1] as Exact;
}
