import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { runWhole } from '../../../domain/sliced.ts';
import { compareExact, type Exact } from '../../../domain/toppers/exact.ts';
import {
  openBlocks,
  releaseAggregated,
} from '../../../engine/kernel/aggregate/aggregate-blocks.ts';
import {
  type Change,
  type ChangeQuestion,
  rankChanges,
} from '../../../engine/kernel/select/rank-changes.ts';
import { hasKey } from '../../../segments/filter/key-set.ts';
import { combineTwo, type PlainReading } from './plain-blocks.ts';
import { AGGREGATES, idsUpTo, readingOf, smallReadingOf } from './random-blocks.ts';
import { aggregatePlainly, keySetOf, type PlainUnit, unitOf } from './reference-answers.ts';

const MOST_ID = 300;

const block = (reading: fc.Arbitrary<PlainReading>): fc.Arbitrary<PlainUnit> =>
  idsUpTo(MOST_ID, 60).chain((ids) =>
    fc.tuple(...ids.map((id) => reading.map((each) => ({ id, reading: each })))),
  );

const ordinals = fc
  .uniqueArray(fc.integer({ min: 0, max: MOST_ID + 5 }), { maxLength: 150 })
  .map((list) => list.sort((a, b) => a - b));

const question: fc.Arbitrary<ChangeQuestion> = fc.record({
  change: fc.constantFrom<Change>('growth', 'decline', 'new'),
  maxItems: fc.oneof(fc.integer({ min: 1, max: 6 }), fc.constant(1000)),
  within: fc.option(ordinals, { nil: null }),
  passing: fc.option(
    ordinals.map((keys) => keySetOf(keys, MOST_ID + 10)),
    { nil: null },
  ),
});

const NOTHING: Exact = { sum: 0n, count: 1n };

const less = (a: Exact, b: Exact): Exact => ({
  sum: a.sum * b.count - b.sum * a.count,
  count: a.count * b.count,
});

describe.each(AGGREGATES)('keys of a meter whose readings combine by %s', (aggregate) => {
  it('are ranked by change as in plain arithmetic', () => {
    const windows = fc
      .constantFrom(smallReadingOf(aggregate), readingOf(aggregate))
      .chain((reading) =>
        fc.tuple(
          fc.array(block(reading), { maxLength: 3 }),
          fc.array(block(reading), { maxLength: 3 }),
        ),
      );
    const isSame = fc.property(windows, question, ([now, before], asked) => {
      const aggregated = {
        now: runWhole(openBlocks(now.map(unitOf), aggregate)),
        before: runWhole(openBlocks(before.map(unitOf), aggregate)),
      };
      const [answer] = runWhole(rankChanges(aggregated, [asked]));
      releaseAggregated(aggregated.now);
      releaseAggregated(aggregated.before);

      const valuesNow = aggregatePlainly(now, aggregate);
      const valuesThen = aggregatePlainly(before, aggregate);
      const isCounted = (key: number) => asked.within === null || asked.within.includes(key);
      const passes = (key: number) =>
        isCounted(key) && (asked.passing === null || hasKey(asked.passing, key));
      const keys = [...new Set([...valuesNow.keys(), ...valuesThen.keys()])].filter(passes);
      const changed = keys.flatMap((ordinal) => {
        const own = valuesNow.get(ordinal) ?? null;
        const then = valuesThen.get(ordinal) ?? null;
        const key = { ordinal, now: own, before: then };
        if (asked.change === 'new') return own && !then ? [{ key, by: own }] : [];
        const grown = less(own ?? NOTHING, then ?? NOTHING);
        const by = asked.change === 'growth' ? grown : { ...grown, sum: -grown.sum };
        const isThere = asked.change === 'decline' || own !== null;
        return isThere && by.sum > 0n ? [{ key, by }] : [];
      });
      changed.sort((a, b) => compareExact(b.by, a.by) || a.key.ordinal - b.key.ordinal);
      const listed = changed.slice(0, asked.maxItems).map(({ key }) => key);
      const isListed = new Set(listed.map(({ ordinal }) => ordinal));
      const together = (wanted: (key: number) => boolean): PlainReading =>
        [...valuesNow]
          .filter(([key]) => wanted(key))
          .reduce<PlainReading>((all, [, value]) => combineTwo(all, value, aggregate), null);
      expect(answer).toEqual({
        listed,
        keyCount: changed.length,
        total: together(isCounted),
        others: together((key) => isCounted(key) && !isListed.has(key)),
        othersMatching: together((key) => passes(key) && !isListed.has(key)),
      });
    });
    fc.assert(isSame, { numRuns: 400 });
  });
});
