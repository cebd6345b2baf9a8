import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ceilTo, floorTo, type Interval } from '../../domain/time/interval.ts';
import { type BlockRun, type Cover, coverInterval } from '../../engine/kernel/cover/cover.ts';

const DAY = 86_400;
const T0 = 1_721_001_600;

const levels = fc.constantFrom(
  [1, 60, 3600],
  [6, 60, 3600],
  [8, 3600],
  [60, 3600],
  [900, 3600],
  [1800],
  [DAY],
);

const ofLength = (most: number) =>
  fc
    .tuple(fc.integer({ min: T0 - 2 * DAY, max: T0 + 2 * DAY }), fc.integer({ min: 1, max: most }))
    .map(([from, seconds]) => ({ from, to: from + seconds }));

/** Some begin or end on the boundary of a minute or an hour. */
const interval = fc
  .tuple(
    fc.oneof(ofLength(200), ofLength(7200), ofLength(2 * DAY)),
    fc.constantFrom(1, 60, 3600),
    fc.constantFrom(1, 60, 3600),
  )
  .map(([{ from, to }, left, right]) => ({ from: floorTo(from, left), to: ceilTo(to, right) }));

const weightOf = (runs: readonly BlockRun[]): number =>
  runs.reduce((sum, { level, from, to }) => sum + ((to - from) / level) * Math.sqrt(level), 0);

describe('the cover of an interval', () => {
  it('consists of consecutive whole blocks, from the first bucket in it to the last', () => {
    const isExact = fc.property(levels, interval, (lengths, asked) => {
      const { runs, less } = coverInterval(asked, lengths, false);
      expect(less).toEqual([]);
      const [bucket = 1] = lengths;
      const from = ceilTo(asked.from, bucket);
      const to = ceilTo(asked.to, bucket);
      expect(runs.map((run) => run.from)).toEqual(
        from < to ? [from, ...runs.slice(0, -1).map((run) => run.to)] : [],
      );
      if (from < to) expect(runs.at(-1)?.to).toBe(to);
      for (const run of runs) {
        expect(lengths).toContain(run.level);
        expect([run.from % run.level, run.to % run.level]).toEqual([0, 0]);
        expect(run.from).toBeLessThan(run.to);
      }
    });
    fc.assert(isExact, { numRuns: 1000 });
  });

  it('takes few blocks: at either end, fewer of each level than fill one of the next', () => {
    const isSmall = fc.property(levels, interval, (lengths, asked) => {
      const { runs } = coverInterval(asked, lengths, false);
      for (const [index, level] of lengths.entries()) {
        const next = lengths[index + 1];
        if (next === undefined) continue;
        const own = runs.filter((run) => run.level === level);
        const blocks = own.reduce((sum, run) => sum + (run.to - run.from) / level, 0);
        // At either end.
        expect(blocks).toBeLessThanOrEqual(2 * (next / level - 1));
      }
    });
    fc.assert(isSmall, { numRuns: 500 });
  });

  it('is empty if no bucket starts in the interval', () => {
    for (const to of [T0 + 1, T0 + 59, T0 + 60]) {
      expect(coverInterval({ from: T0 + 1, to }, [60, 3600], true)).toMatchObject({
        runs: [],
        less: [],
      });
    }
  });
});

/** Returns how often each stretch of time between the ends of runs counts. */
function countedStretches({ runs, less }: Cover, { from, to }: Interval) {
  const ends = [from, to, ...[...runs, ...less].flatMap((run) => [run.from, run.to])];
  const cuts = [...new Set(ends)].sort((a, b) => a - b);
  const covers = (at: number) => (run: BlockRun) => run.from <= at && at < run.to;
  return cuts.slice(0, -1).map((at, i) => ({
    from: at,
    to: cuts[i + 1] ?? at,
    times: runs.filter(covers(at)).length - less.filter(covers(at)).length,
  }));
}

describe('the cover of an interval of sums, which can be subtracted', () => {
  it('counts each bucket of the interval once and no other', () => {
    const isExact = fc.property(levels, interval, (lengths, asked) => {
      const cover = coverInterval(asked, lengths, true);
      const [bucket = 1] = lengths;
      const from = ceilTo(asked.from, bucket);
      const to = ceilTo(asked.to, bucket);
      if (from >= to) return;
      for (const { times, ...stretch } of countedStretches(cover, { from, to })) {
        expect(times).toBe(stretch.from >= from && stretch.to <= to ? 1 : 0);
      }
    });
    fc.assert(isExact, { numRuns: 1000 });
  });

  it('is never more work than without subtraction', () => {
    const isSmall = fc.property(levels, interval, (lengths, asked) => {
      const { runs, less } = coverInterval(asked, lengths, true);
      const plain = coverInterval(asked, lengths, false);
      expect(weightOf([...runs, ...less])).toBeLessThanOrEqual(weightOf(plain.runs) + 1e-6);
    });
    fc.assert(isSmall, { numRuns: 500 });
  });

  it('of an hour without its first and last minute is the hour less these', () => {
    const { runs, less } = coverInterval({ from: T0 + 60, to: T0 + 3540 }, [60, 3600], true);
    expect(runs).toEqual([{ level: 3600, from: T0, to: T0 + 3600 }]);
    expect(less).toEqual([
      { level: 60, from: T0, to: T0 + 60 },
      { level: 60, from: T0 + 3540, to: T0 + 3600 },
    ]);
  });
});
