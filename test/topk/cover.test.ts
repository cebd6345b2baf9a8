import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ceilTo, floorTo, type Interval } from '../../domain/interval.ts';
import {
  type BlockRun,
  blockCount,
  type CoarseState,
  type Cover,
  coverInterval as coverBy,
} from '../../topk/cover.ts';
import { type Resolutions, resolutionsOf, runSeconds } from '../../topk/resolutions.ts';

const DAY = 86_400;
const T0 = 1_721_001_600;

/** All lengths that divide a day, which a bucket has to. */
const BUCKETS = Array.from({ length: DAY }, (_, i) => i + 1).filter((size) => DAY % size === 0);

const bucket = fc.oneof(fc.constantFrom(...BUCKETS), fc.constantFrom(1, 60, 300, 3600, DAY));

const ofLength = (most: number) =>
  fc
    .tuple(
      fc.integer({ min: T0 - 40 * DAY, max: T0 + 40 * DAY }),
      fc.integer({ min: 1, max: most }),
    )
    .map(([from, seconds]) => ({ from, to: from + seconds }));

/** Some end on the boundary of a day, or of many. */
const interval = fc
  .tuple(
    fc.oneof(ofLength(200), ofLength(2 * DAY), ofLength(100 * DAY)),
    fc.constantFrom(1, 60, 3600, DAY, 8 * DAY),
    fc.constantFrom(1, 60, 3600, DAY, 8 * DAY),
  )
  .map(([{ from, to }, left, right]) => ({ from: floorTo(from, left), to: ceilTo(to, right) }));

/** Days on which nothing is, and coarse blocks that were not made: as many as `seed` says. */
const states = fc.record({
  emptyDays: fc.constantFrom(0, 0.1, 0.7, 1),
  apart: fc.constantFrom(0, 0.2, 0.8, 1),
  seed: fc.nat(),
});

type States = { emptyDays: number; apart: number; seed: number };

/** A number from 0 to 1 that looks like chance and always is the same. */
const chance = (seed: number, a: number, b: number): number => {
  let hash = Math.imul(seed ^ 0x9e3779b9, 0x85ebca6b) ^ Math.imul(a + 1, 0xc2b2ae35);
  hash = Math.imul(hash ^ (hash >>> 15), 0x2c1b3c6d) ^ Math.imul(b + 1, 0x297a2d39);
  hash = Math.imul(hash ^ (hash >>> 12), 0x85ebca6b);
  return ((hash ^ (hash >>> 16)) >>> 0) / 2 ** 32;
};

/** A block is empty when all its days are. */
const stateOf =
  ({ emptyDays, apart, seed }: States) =>
  (level: number, start: number): CoarseState => {
    const days = Array.from({ length: level / DAY }, (_, i) => start / DAY + i);
    if (days.every((day) => chance(seed, day, 0) < emptyDays)) return 'empty';
    return chance(seed, start / DAY, level / DAY) < apart ? 'apart' : 'whole';
  };

/** The cover of readings that cannot be taken out again. */
const coverInterval = (
  interval: Interval,
  resolutions: Resolutions,
  state: (level: number, start: number) => CoarseState,
): readonly BlockRun[] => {
  const cover = coverBy(interval, { resolutions, stateOf: state, canSubtract: false });
  expect(cover.less).toEqual([]);
  return cover.runs;
};

const coverBySubtracting = (
  interval: Interval,
  resolutions: Resolutions,
  state: (level: number, start: number) => CoarseState,
): Cover => coverBy(interval, { resolutions, stateOf: state, canSubtract: true });

const wholeAlways = (): CoarseState => 'whole';

/** Days of an interval that begins and ends with one. */
const daysOf = ({ from, to }: { from: number; to: number }): number[] =>
  Array.from({ length: (to - from) / DAY }, (_, i) => from + i * DAY);

/** Days that an interval has a part of. */
const daysWith = ({ from, to }: { from: number; to: number }): number[] =>
  daysOf({ from: floorTo(from, DAY), to: ceilTo(to, DAY) });

/** What lies between the runs, before the first and behind the last. */
function gapsOf(runs: readonly BlockRun[], from: number, to: number) {
  const [ends, starts] = [
    [from, ...runs.map((r) => r.to)],
    [...runs.map((r) => r.from), to],
  ];
  return ends
    .map((end, i) => ({ from: end, to: starts[i] ?? to }))
    .filter((gap) => gap.from !== gap.to);
}

describe('the cover of an interval', () => {
  it('is of runs that ascend and do not overlap, each of whole blocks of its level', () => {
    const isInOrder = fc.property(bucket, interval, states, (bucketSeconds, asked, random) => {
      const resolutions = resolutionsOf(bucketSeconds);
      const levels = [...resolutions.base, ...resolutions.coarse];
      const runs = coverInterval(asked, resolutions, stateOf(random));
      for (const [i, { level, from, to }] of runs.entries()) {
        expect(levels).toContain(level);
        expect([from % level, to % level]).toEqual([0, 0]);
        expect(from).toBeLessThan(to);
        expect(from).toBeGreaterThanOrEqual(runs[i - 1]?.to ?? 0);
      }
    });
    fc.assert(isInOrder, { numRuns: 500 });
  });

  it('covers just the buckets that start in the interval, but for days without anything', () => {
    const isExact = fc.property(bucket, interval, states, (bucketSeconds, asked, random) => {
      const resolutions = resolutionsOf(bucketSeconds);
      const state = stateOf(random);
      const runs = coverInterval(asked, resolutions, state);
      const [from, to] = [ceilTo(asked.from, bucketSeconds), ceilTo(asked.to, bucketSeconds)];
      for (const gap of gapsOf(runs, from, to)) {
        expect(gap.from).toBeLessThan(gap.to);
        for (const day of daysWith(gap)) expect(state(DAY, day)).toBe('empty');
      }
    });
    fc.assert(isExact, { numRuns: 500 });
  });

  it('uses coarse blocks only where they are whole, and none finer on a day that is empty', () => {
    const isSound = fc.property(bucket, interval, states, (bucketSeconds, asked, random) => {
      const resolutions = resolutionsOf(bucketSeconds);
      const state = stateOf(random);
      for (const { level, from, to } of coverInterval(asked, resolutions, state)) {
        const isCoarse = resolutions.coarse.includes(level);
        for (let start = from; isCoarse && start < to; start += level) {
          expect(state(level, start)).toBe('whole');
        }
        if (isCoarse) continue;
        const inside = { from: ceilTo(from, DAY), to: floorTo(to, DAY) };
        if (resolutions.coarse[0] !== DAY || inside.to <= inside.from) continue;
        for (const day of daysOf(inside)) expect(state(DAY, day)).toBe('apart');
      }
    });
    fc.assert(isSound, { numRuns: 500 });
  });

  it('takes few blocks: of each level at most what does not fill one of the next', () => {
    const isSmall = fc.property(bucket, interval, (bucketSeconds, asked) => {
      const resolutions = resolutionsOf(bucketSeconds);
      const levels = [...resolutions.base, ...resolutions.coarse];
      const runs = coverInterval(asked, resolutions, wholeAlways);
      for (const [place, level] of levels.entries()) {
        const next = levels[place + 1];
        if (next === undefined) continue;
        const blocks = blockCount(runs.filter((run) => run.level === level));
        // As many at either end; of the coarse ones, each twice the one before, that is one.
        expect(blocks).toBeLessThanOrEqual(2 * (next / level - 1));
        if (resolutions.coarse.includes(level)) expect(blocks).toBeLessThanOrEqual(2);
      }
    });
    fc.assert(isSmall, { numRuns: 500 });
  });

  it('of an interval in which no bucket starts is nothing', () => {
    for (const to of [T0 + 1, T0 + 59, T0 + 60]) {
      expect(coverInterval({ from: T0 + 1, to }, resolutionsOf(60), wholeAlways)).toEqual([]);
    }
    expect(coverInterval({ from: T0 + 1, to: T0 + 61 }, resolutionsOf(60), wholeAlways)).toEqual([
      { level: 60, from: T0 + 60, to: T0 + 120 },
    ]);
  });

  it('of years in which nothing is asks of nothing but the coarsest', () => {
    const asked: number[] = [];
    const runs = coverInterval({ from: 0, to: 20_000 * DAY }, resolutionsOf(60), (level) => {
      asked.push(level);
      return 'empty';
    });
    expect(runs).toEqual([]);
    expect(new Set(asked)).toEqual(new Set([32 * DAY]));
  });
});

/** How often each stretch of time counts: between the ends of runs, and within one day. */
function countedStretches({ runs, less }: Cover, { from, to }: Interval) {
  const all = [...runs, ...less];
  const ends = [from, to, ...all.flatMap((run) => [run.from, run.to])];
  const reach = { from: Math.min(...ends), to: Math.max(...ends) };
  const cuts = [...new Set([...ends, ...daysWith(reach)])].sort((a, b) => a - b);
  const covers = (at: number) => (run: BlockRun) => run.from <= at && at < run.to;
  return cuts.slice(0, -1).map((at, i) => ({
    ...{ from: at, to: cuts[i + 1] ?? at },
    times: runs.filter(covers(at)).length - less.filter(covers(at)).length,
  }));
}

describe('the cover of an interval of sums, which can be taken out again', () => {
  it('counts each bucket of the interval once and no other, but for days without anything', () => {
    const isExact = fc.property(bucket, interval, states, (bucketSeconds, asked, random) => {
      const state = stateOf(random);
      const cover = coverBySubtracting(asked, resolutionsOf(bucketSeconds), state);
      const [from, to] = [ceilTo(asked.from, bucketSeconds), ceilTo(asked.to, bucketSeconds)];
      for (const { times, ...stretch } of countedStretches(cover, { from, to })) {
        if (daysWith(stretch).every((day) => state(DAY, day) === 'empty')) continue;
        const isInside = stretch.from >= from && stretch.to <= to;
        expect(times).toBe(isInside ? 1 : 0);
      }
    });
    fc.assert(isExact, { numRuns: 1000 });
  });

  it('uses coarse blocks only where they are whole', () => {
    const isSound = fc.property(bucket, interval, states, (bucketSeconds, asked, random) => {
      const resolutions = resolutionsOf(bucketSeconds);
      const state = stateOf(random);
      const { runs, less } = coverBySubtracting(asked, resolutions, state);
      for (const { level, from, to } of [...runs, ...less]) {
        if (!resolutions.coarse.includes(level)) continue;
        for (let start = from; start < to; start += level) {
          expect(state(level, start)).toBe('whole');
        }
      }
    });
    fc.assert(isSound, { numRuns: 500 });
  });

  it('is never more work than without taking anything out', () => {
    const isSmall = fc.property(bucket, interval, (bucketSeconds, asked) => {
      const resolutions = resolutionsOf(bucketSeconds);
      const { runs, less } = coverBySubtracting(asked, resolutions, wholeAlways);
      const plain = coverInterval(asked, resolutions, wholeAlways);
      const weight = (each: readonly BlockRun[]): number =>
        each.reduce((sum, run) => sum + blockCount([run]) * Math.sqrt(run.level), 0);
      expect(weight([...runs, ...less])).toBeLessThanOrEqual(weight(plain) + 1e-6);
    });
    fc.assert(isSmall, { numRuns: 500 });
  });

  it('of a week without its first and last half hour is the week less these', () => {
    const monday = 1_767_571_200;
    const week = { from: monday + 1800, to: monday + 7 * DAY - 1800 };
    const { runs, less } = coverBySubtracting(week, resolutionsOf(60), wholeAlways);
    expect(runs.every(({ level }) => level >= DAY)).toBe(true);
    expect(blockCount(runs)).toBeLessThanOrEqual(4);
    expect(less).toEqual([
      { level: 60, from: monday, to: week.from },
      { level: 60, from: week.to, to: monday + 7 * DAY },
    ]);
  });
});

describe('the resolutions of a group', () => {
  it.each<[number, Resolutions['base'], number]>([
    [1, [1, 60, 3600], 6],
    [6, [6, 60, 3600], 6],
    [8, [8, 3600], 6],
    [60, [60, 3600], 6],
    [900, [900, 3600], 6],
    [1800, [1800], 6],
    [3600, [3600], 6],
    [43_200, [43_200], 6],
    [DAY, [DAY], 5],
  ])('of a bucket of %d seconds are %j and %d coarse ones', (bucketSeconds, base, coarse) => {
    const resolutions = resolutionsOf(bucketSeconds);
    expect(resolutions.base).toEqual(base);
    expect(resolutions.coarse).toHaveLength(coarse);
    expect(resolutions.coarse.at(-1)).toBe(32 * DAY);
  });

  it('are each a multiple of the one before, for every bucket there can be', () => {
    for (const bucketSeconds of BUCKETS) {
      const { base, coarse } = resolutionsOf(bucketSeconds);
      const levels = [...base, ...coarse];
      for (const [place, level] of levels.entries()) {
        expect(level % (levels[place - 1] ?? bucketSeconds)).toBe(0);
        expect(level).toBeGreaterThan(levels[place - 1] ?? 0);
      }
    }
  });

  it('share runs within the next longer block, and within a slice', () => {
    const resolutions = resolutionsOf(1);
    expect(resolutions.base.map((level) => runSeconds(resolutions, level, DAY))).toEqual([
      ...[60, 3600, DAY],
    ]);
    expect(runSeconds(resolutions, 3600, 3600)).toBe(3600);
  });
});
