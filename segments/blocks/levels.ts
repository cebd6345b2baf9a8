import { floorTo } from '../../domain/time/interval.ts';
import type { SegmentShape } from '../shape.ts';

/** The first and last bucket in which a segment has readings: their starts in epoch seconds. */
export type BucketSpan = { readonly first: number; readonly last: number };

/** Used as a step instead of a number of seconds: all of a segment's readings together. */
export const WHOLE_SPAN = Number.POSITIVE_INFINITY;

const MINUTE = 60;
export const HOUR = 3600;

/**
 * Buckets of up to this many seconds are added up by minutes first, so that few buckets remain at
 * the ends of a window.
 */
const MINUTES_FROM = 6;

/**
 * Returns the steps, in seconds and ascending, for which a segment has blocks: its buckets, their
 * sums over longer steps, and the whole span. A level of one block is left out because the next
 * level says the same.
 */
export function levelsOf(shape: SegmentShape, span: BucketSpan): number[] {
  const { bucketSeconds } = shape;
  const levels = [bucketSeconds];
  if (span.first === span.last) return levels;
  if (bucketSeconds <= MINUTES_FROM && MINUTE % bucketSeconds === 0) levels.push(MINUTE);
  if (bucketSeconds * 4 <= HOUR && HOUR % bucketSeconds === 0) levels.push(HOUR);
  const several = levels.filter((seconds) => isSeveral(span, seconds));
  return [...several, WHOLE_SPAN];
}

const isSeveral = ({ first, last }: BucketSpan, seconds: number): boolean =>
  floorTo(first, seconds) !== floorTo(last, seconds);

/**
 * Whether a segment has series. If it lies within one topper bucket, the block of the whole span
 * says everything.
 */
export const hasSeries = (shape: SegmentShape, span: BucketSpan): boolean =>
  isSeveral(span, shape.topperBucketSeconds);
