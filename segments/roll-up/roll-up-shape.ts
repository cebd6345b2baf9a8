import type { SegmentShape } from '../shape.ts';

/*
 * A roll-up is made of other segments, its *sources*, and says of all of them together what each
 * says of itself: which keys there are, and what each key comes to. It is a segment like any other,
 * whose buckets are its sources, numbered from 0 in the place of times:
 *
 *     keys          those of all sources
 *     block i       which of these keys source i has, without readings: as both have their keys in
 *                   order, that is what each key of the source is called in the roll-up
 *     whole span    what each key comes to in all sources
 *
 * So a question about all of its time reads one block, and one that needs a part of a source too
 * need not compare a single key: block i leads from the ordinals of the source to those of the
 * roll-up.
 */

/** How many sources a roll-up has at most: fewer than what a minute of buckets would be. */
export const MOST_SOURCES = 60;

/** Seconds of a bucket of a roll-up: one a source. */
export const SOURCE_STEP = 1;

/** How a roll-up of segments of this shape is written. */
export const rollUpShape = ({ keyKind, partKinds, folds }: SegmentShape): SegmentShape => ({
  keyKind,
  partKinds,
  bucketSeconds: SOURCE_STEP,
  topperBucketSeconds: MOST_SOURCES,
  folds,
});
