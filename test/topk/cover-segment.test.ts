import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Fold } from '../../domain/toppers/meter-type.ts';
import { coverSegment, type SegmentBlocks } from '../../engine/kernel/cover/cover-segment.ts';
import { levelsOf } from '../../segments/blocks/levels.ts';

const shapeOf = (bucketSeconds: number) => ({
  keyKind: 'ipv4' as const,
  partKinds: null,
  bucketSeconds,
  topperBucketSeconds: 3600,
  folds: ['sum' as Fold],
});

/** A segment that begins and ends anywhere in some days. */
const segments: fc.Arbitrary<SegmentBlocks> = fc
  .record({
    bucketSeconds: fc.constantFrom(1, 6, 10, 60, 300, 3600),
    first: fc.nat({ max: 5000 }),
    length: fc.oneof(fc.constant(0), fc.nat({ max: 3000 })),
  })
  .map(({ bucketSeconds, first, length }) => {
    const span = { first: first * bucketSeconds, last: (first + length) * bucketSeconds };
    return { span, bucketSeconds, levels: levelsOf(shapeOf(bucketSeconds), span) };
  });

/** Returns how often the cover counts each bucket of the segment. */
function countsOf(segment: SegmentBlocks, interval: { from: number; to: number }, less: boolean) {
  const { span, bucketSeconds } = segment;
  const cover = coverSegment(interval, segment, less);
  const counts = new Map<number, number>();
  for (const [runs, sign] of [
    [cover.runs, 1],
    [cover.less, -1],
  ] as const) {
    for (const { from, to } of runs) {
      for (let at = Math.max(from, span.first); at < to && at <= span.last; at += bucketSeconds) {
        counts.set(at, (counts.get(at) ?? 0) + sign);
      }
    }
  }
  return { cover, counts };
}

describe('the blocks of a segment that cover an interval', () => {
  it.each([false, true])('count each bucket in the interval once (less: %s)', (less) => {
    fc.assert(
      fc.property(
        segments,
        fc.integer({ min: -9, max: 9000 }),
        fc.nat(9000),
        (segment, at, length) => {
          const { span, bucketSeconds } = segment;
          const from = Math.max(0, span.first + (at - 4500) * bucketSeconds);
          const interval = { from, to: from + length * bucketSeconds };
          const { counts, cover } = countsOf(segment, interval, less);
          const miscounted: number[] = [];
          for (let bucket = span.first; bucket <= span.last; bucket += bucketSeconds) {
            const isIn = bucket >= interval.from && bucket < interval.to;
            if ((counts.get(bucket) ?? 0) !== (isIn ? 1 : 0)) miscounted.push(bucket);
          }
          expect(miscounted).toEqual([]);
          if (!less) expect(cover.less).toEqual([]);
          const levels = new Set([...cover.runs, ...cover.less].map(({ level }) => level));
          for (const level of levels) expect(segment.levels).toContain(level);
        },
      ),
      { numRuns: 150 },
    );
  });

  const day: SegmentBlocks = {
    span: { first: 0, last: 86_100 },
    bucketSeconds: 300,
    levels: [300, 3600, Number.POSITIVE_INFINITY],
  };

  it('are the block of the whole span if all of it is needed', () => {
    const whole = [{ level: Number.POSITIVE_INFINITY, from: 0, to: 86_400 }];
    expect(coverSegment({ from: 0, to: 90_000 }, day, false)).toEqual({ runs: whole, less: [] });
  });

  it('are that block less the excluded ones, if these are few and can be subtracted', () => {
    const cover = coverSegment({ from: 600, to: 86_400 }, day, true);
    expect(cover.runs).toEqual([{ level: Number.POSITIVE_INFINITY, from: 0, to: 86_400 }]);
    expect(cover.less).toEqual([{ level: 300, from: 0, to: 600 }]);
  });

  it('are none outside the span, or if no bucket starts in the interval', () => {
    const nothing = { runs: [], less: [] };
    expect(coverSegment({ from: 86_400, to: 90_000 }, day, true)).toEqual(nothing);
    expect(coverSegment({ from: 301, to: 599 }, day, true)).toEqual(nothing);
  });
});
