import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { floorTo } from '../../../domain/time/interval.ts';
import {
  type BlockRun,
  blockStarts,
  blocksIn,
  type Cover,
  coverSegment,
  coverSteps,
  type SegmentTime,
  weightOf,
} from '../../../engine/kernel/cover/cover.ts';
import { tileOf, tileSecondsOf } from '../../../segments/tiles/tile-seconds.ts';

/** A segment that begins and ends anywhere in some days. Some buckets do not divide their tile. */
const segments: fc.Arbitrary<SegmentTime> = fc
  .record({
    bucketSeconds: fc.constantFrom(1, 6, 8, 10, 60, 300, 640, 900, 1800, 3600),
    first: fc.nat({ max: 5000 }),
    length: fc.oneof(fc.constant(0), fc.nat({ max: 3000 })),
  })
  .map(({ bucketSeconds, first, length }) => ({
    span: { first: first * bucketSeconds, last: (first + length) * bucketSeconds },
    bucketSeconds,
    tileSeconds: tileSecondsOf(bucketSeconds),
  }));

/** Where an interval begins, in buckets after the beginning of the segment, and how many it has. */
const places = fc.tuple(fc.integer({ min: -4500, max: 4500 }), fc.nat(9000));

function intervalAt({ span, bucketSeconds }: SegmentTime, [at, length]: readonly [number, number]) {
  const from = Math.max(0, span.first + at * bucketSeconds);
  return { from, to: from + length * bucketSeconds };
}

function* bucketsOf({ span, bucketSeconds }: SegmentTime): Generator<number> {
  for (let at = span.first; at <= span.last; at += bucketSeconds) yield at;
}

/** Whether a bucket that starts then is in a run: a tile has the buckets that start in it. */
const hasBucket = ({ kind, from, to }: BlockRun, at: number, { tileSeconds }: SegmentTime) => {
  const place = kind === 'tiles' ? tileOf(at, tileSeconds) : at;
  return place >= from && place < to;
};

/** Returns the buckets that a cover does not count as often as it should. */
function miscounted(
  segment: SegmentTime,
  { runs, subtract: less }: Cover,
  isIn: (bucket: number) => boolean,
): number[] {
  const times = (of: readonly BlockRun[], bucket: number) =>
    of.filter((run) => hasBucket(run, bucket, segment)).length;
  return [...bucketsOf(segment)].filter(
    (bucket) => times(runs, bucket) - times(less, bucket) !== (isIn(bucket) ? 1 : 0),
  );
}

function expectWholeBlocks({ tileSeconds }: SegmentTime, runs: readonly BlockRun[]): void {
  for (const run of runs) {
    const { kind, seconds, from, to } = run;
    expect(blocksIn(run)).toBeGreaterThanOrEqual(1);
    if (kind === 'tiles') {
      expect([seconds, from % tileSeconds, to % tileSeconds]).toEqual([tileSeconds, 0, 0]);
    } else expect([...blockStarts(run)]).toEqual([from]);
  }
}

describe('the blocks of a segment that cover an interval', () => {
  it.each([false, true])(
    'count each bucket in the interval once (subtracting: %s)',
    (canSubtract) => {
      fc.assert(
        fc.property(segments, places, (segment, place) => {
          const interval = intervalAt(segment, place);
          const cover = coverSegment(interval, segment, canSubtract);
          const isIn = (bucket: number) => bucket >= interval.from && bucket < interval.to;
          expect(miscounted(segment, cover, isIn)).toEqual([]);
          expectWholeBlocks(segment, [...cover.runs, ...cover.subtract]);
          if (!canSubtract) expect(cover.subtract).toEqual([]);
        }),
        { numRuns: 150 },
      );
    },
  );

  it('are at most two parts and the tiles between them, or the span', () => {
    fc.assert(
      fc.property(segments, places, (segment, place) => {
        const { runs } = coverSegment(intervalAt(segment, place), segment, false);
        const kinds = runs.map(({ kind }) => kind).join(' ');
        expect(kinds).toMatch(/^(span|(part)? ?(tiles)? ?(part)?)$/);
      }),
    );
  });

  it('are never more work than without subtraction', () => {
    fc.assert(
      fc.property(segments, places, (segment, place) => {
        const [plain = 0, less = 0] = [false, true].map((canSubtract) =>
          weightOf(coverSegment(intervalAt(segment, place), segment, canSubtract), segment),
        );
        expect(less).toBeLessThanOrEqual(plain);
      }),
    );
  });

  const day: SegmentTime = {
    span: { first: 0, last: 86_100 },
    bucketSeconds: 300,
    tileSeconds: 3600,
  };
  const whole: BlockRun = { kind: 'span', seconds: 86_400, from: 0, to: 86_400 };

  it('are the block of the whole span if all of it is needed', () => {
    expect(coverSegment({ from: 0, to: 90_000 }, day, false)).toEqual({
      runs: [whole],
      subtract: [],
    });
  });

  it('are that block less the excluded ones, if these are few and can be subtracted', () => {
    const interval = { from: 4200, to: 86_400 };
    expect(coverSegment(interval, day, true)).toEqual({
      runs: [whole],
      subtract: [
        { kind: 'tiles', seconds: 3600, from: 0, to: 3600 },
        { kind: 'part', seconds: 600, from: 3600, to: 4200 },
      ],
    });
    expect(coverSegment(interval, day, false)).toEqual({
      runs: [
        { kind: 'part', seconds: 3000, from: 4200, to: 7200 },
        { kind: 'tiles', seconds: 3600, from: 7200, to: 86_400 },
      ],
      subtract: [],
    });
  });

  it('are none outside the span, or if no bucket starts in the interval', () => {
    const nothing = { runs: [], subtract: [] };
    expect(coverSegment({ from: 86_400, to: 90_000 }, day, true)).toEqual(nothing);
    expect(coverSegment({ from: 301, to: 599 }, day, true)).toEqual(nothing);
  });
});

describe('the blocks of a segment by step', () => {
  it('count each bucket in the interval once, in its step', () => {
    fc.assert(
      fc.property(
        segments,
        places,
        fc.constantFrom(1, 2, 3, 12, 60, 288),
        (segment, place, buckets) => {
          const interval = intervalAt(segment, place);
          const stepSeconds = buckets * segment.bucketSeconds;
          const steps = coverSteps(interval, segment, stepSeconds);
          const covers = new Map(steps.map(({ step, runs }) => [step, runs]));
          expect(covers.size).toBe(steps.length);
          const isIn = (bucket: number) => bucket >= interval.from && bucket < interval.to;
          const all = steps.flatMap(({ runs }) => runs);
          expectWholeBlocks(segment, all);
          const outOfStep = [...bucketsOf(segment)].filter((bucket) => {
            const runs = covers.get(floorTo(bucket, stepSeconds)) ?? [];
            return runs.some((run) => hasBucket(run, bucket, segment)) !== isIn(bucket);
          });
          expect(outOfStep).toEqual([]);
          expect(miscounted(segment, { runs: all, subtract: [] }, isIn)).toEqual([]);
        },
      ),
      { numRuns: 60 },
    );
  });

  it('are tiles where steps are as long, and parts of tiles where they are shorter', () => {
    const day: SegmentTime = {
      span: { first: 0, last: 7140 },
      bucketSeconds: 60,
      tileSeconds: 3600,
    };
    const kinds = (stepSeconds: number) =>
      coverSteps({ from: 0, to: 7200 }, day, stepSeconds).flatMap(({ runs }) =>
        runs.map(({ kind }) => kind),
      );
    expect(kinds(3600)).toEqual(['tiles', 'tiles']);
    expect(kinds(1800)).toEqual(['part', 'part', 'part', 'part']);
    expect(kinds(7200)).toEqual(['tiles']);
  });
});
