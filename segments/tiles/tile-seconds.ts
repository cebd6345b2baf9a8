import { ceilTo, floorTo } from '../../domain/time/interval.ts';

/*
 * The readings of a range of keys are stored in tiles: aligned spans of time that hold up to 900
 * buckets each. A tile answers for its whole time without its single buckets, and a window that
 * begins or ends within a tile reads that tile's buckets.
 */

const QUARTER = 900;
export const HOUR = 3600;
const DAY = 86_400;

/** Buckets shorter than this have tiles of a quarter of an hour, so that tiles stay small. */
const SHORT_BUCKET = 10;

/** Returns the length of a tile in seconds. Tiles are aligned to 1970. */
export const tileSecondsOf = (bucketSeconds: number): number => {
  if (bucketSeconds < SHORT_BUCKET) return QUARTER;
  return bucketSeconds <= QUARTER ? HOUR : DAY;
};

/** How a tile counts its buckets: those that start within it, from the first one. */
export type TileGrid = {
  /** The start of the first bucket that starts in the tile, epoch seconds. */
  readonly origin: number;
  readonly bucketSeconds: number;
};

export const tileGrid = (tileStart: number, bucketSeconds: number): TileGrid => ({
  origin: ceilTo(tileStart, bucketSeconds),
  bucketSeconds,
});

/** Returns the start of the tile in which a bucket starts. */
export const tileOf = (start: number, tileSeconds: number): number => floorTo(start, tileSeconds);
