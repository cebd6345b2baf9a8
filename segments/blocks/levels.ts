import { floorTo } from '../../domain/time/interval.ts';
import type { SegmentShape } from '../shape.ts';

/** The first and the last bucket that a segment has readings in: their starts, epoch seconds. */
export type BucketSpan = { readonly first: number; readonly last: number };

/** In place of a number of seconds: all of a segment's readings together. */
export const WHOLE_SPAN = Number.POSITIVE_INFINITY;

const MINUTE = 60;
const HOUR = 3600;

/** Buckets up to this long are added up by minutes first, so that few are left at a window's ends. */
const MINUTES_FROM = 6;

/**
 * The steps in seconds for which a segment has blocks, ascending: its buckets, what they add up to,
 * and the whole span. A level of one block is left out, as the next one says the same.
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

/** Whether a segment has series: of one topper bucket, the whole span's block says all. */
export const hasSeries = (shape: SegmentShape, span: BucketSpan): boolean =>
  isSeveral(span, shape.topperBucketSeconds);
