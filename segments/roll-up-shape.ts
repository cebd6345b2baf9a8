import type { SegmentShape } from './shape.ts';

/*
 * A roll-up is made from other segments, its *sources*. It stores for all of them together what
 * each source stores for itself: which keys there are, and the combined readings of each key. It is
 * an ordinary segment whose buckets are its sources, numbered from 0 in place of times:
 *
 *     keys      the keys of all sources
 *     tile i    which of these keys source i has, without readings. Both have their keys in the
 *               same order, so this maps the ordinals of the source to those of the roll-up
 *     span      the combined readings of each key over all sources
 *
 * A query over the roll-up's whole time reads the span. A query that also needs part of a source
 * compares no keys: tile i maps the ordinals of the source to those of the roll-up.
 */

/**
 * Maximum number of sources of a roll-up. Their buckets, one second each, fit into one topper
 * bucket of a minute, so a roll-up has no series.
 */
export const MAX_SOURCES = 60;

/** Length of a roll-up's bucket and tile in seconds. Each source is one bucket. */
export const SOURCE_STEP = 1;

/** Returns the shape of a roll-up of segments of this shape. */
export const rollUpShape = ({ keyKind, partKinds, aggregates }: SegmentShape): SegmentShape => ({
  keyKind,
  partKinds,
  bucketSeconds: SOURCE_STEP,
  topperBucketSeconds: MAX_SOURCES,
  aggregates,
});
