import { describe, expect, it } from 'vitest';
import { type CoveredSpan, newestBucket } from '../../../domain/time/newest-bucket.ts';

const span = (firstBucket: number, lastBucket: number, ...earlier: number[]) => ({
  firstBucket,
  lastBucket,
  earlierBuckets: earlier.length === 0 ? null : earlier,
});

describe('the newest bucket', () => {
  it.each<[CoveredSpan[], number, number | null, string]>([
    [[], 1000, null, 'of nothing is none'],
    [[span(60, 600), span(120, 540)], 1000, 600, 'is the last one'],
    [[span(60, 1000)], 1000, 1000, 'may be as late as the limit'],
    [[span(60, 1060)], 1000, 60, 'is the first one if no other is known'],
    [[span(60, 1060, 540, 900, 1020)], 1000, 900, 'is the newest of those before the limit'],
    [[span(60, 1060, 540, 900, 1020)], 1020, 1020, 'becomes a later one in time'],
    [[span(60, 600), span(540, 1060, 1060)], 1000, 600, 'may be of another slice'],
    [[span(1020, 1060), span(1080, 2000)], 1000, 2000, 'is the last one if all are later'],
  ])('%j until %d: %s', (spans, limit, expected) => {
    expect(newestBucket(spans, limit)).toBe(expected);
  });
});
