import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isCounting } from '../../../domain/toppers/meter-type.ts';
import { signedRuns } from '../../../engine/kernel/cover/cover.ts';
import { planSegments, type SegmentPart } from '../../../engine/plan/plan-segments.ts';
import type { ScopedSegment, ScopedSegments } from '../../../engine/plan/scoped-segment.ts';
import { FUZZ_CASES } from '../../support/random/fuzz-cases.ts';
import { aggregateAt, meterIndexes, readOf, rollUpsOf, stores, windows } from '../random-stores.ts';
import { storeWith } from '../stored-segments.ts';

const BUCKET = 60;

/** Returns the segments that a segment or roll-up has the readings of. */
function leavesOf({ segmentId }: ScopedSegment, live: ScopedSegments): ScopedSegment[] {
  const rollUp = live.rollUps.find((each) => each.segmentId === segmentId);
  if (!rollUp) return live.segments.filter((each) => each.segmentId === segmentId);
  const all = [...live.segments, ...live.rollUps];
  return all.flatMap((each) =>
    rollUp.sources.includes(each.segmentId) ? leavesOf(each, live) : [],
  );
}

function bucketsOf({ firstBucket, lastBucket }: ScopedSegment): number[] {
  const length = (lastBucket - firstBucket) / BUCKET + 1;
  return Array.from({ length }, (_, i) => firstBucket + BUCKET * i);
}

const nameOf = ({ segmentId }: ScopedSegment, bucket: number) => `${segmentId} ${bucket}`;

/** Returns how often each bucket of a segment is added, less how often it is subtracted. */
function covered(parts: readonly SegmentPart[], live: ScopedSegments): Map<string, number> {
  const counts = new Map<string, number>();
  for (const { segment, cover } of parts) {
    for (const { run, sign } of signedRuns(cover)) {
      for (const leaf of leavesOf(segment, live)) {
        for (const bucket of bucketsOf(leaf)) {
          if (bucket < run.from || bucket >= run.to) continue;
          const name = nameOf(leaf, bucket);
          counts.set(name, (counts.get(name) ?? 0) + sign);
        }
      }
    }
  }
  return new Map([...counts].filter(([, count]) => count !== 0));
}

describe('the planned parts of a read', () => {
  it('have each bucket of its window once and no other, whatever the roll-ups', async () => {
    await fc.assert(
      fc.asyncProperty(
        stores,
        windows,
        meterIndexes,
        fc.record({
          probeId: fc.constantFrom(null, 0, 5),
          seed: fc.array(fc.nat({ max: 2 ** 20 - 1 }), { maxLength: 5 }),
        }),
        async (store, window, meterIndex, { probeId, seed }) => {
          const { live } = await storeWith(store, rollUpsOf(store, seed));
          const parts = planSegments(live, readOf(meterIndex, window, probeId));
          const expected = live.segments
            .filter((segment) => probeId === null || segment.probeId === probeId)
            .flatMap((segment) => bucketsOf(segment).map((bucket) => ({ segment, bucket })))
            .filter(({ bucket }) => bucket >= window.from && bucket < window.to)
            .map(({ segment, bucket }): [string, number] => [nameOf(segment, bucket), 1]);
          expect(covered(parts, live)).toEqual(new Map(expected));
          const subtracts = parts.some(({ cover }) => cover.subtract.length > 0);
          expect(subtracts && !isCounting(aggregateAt(meterIndex))).toBe(false);
        },
      ),
      { numRuns: 3 * FUZZ_CASES },
    );
  });
});
