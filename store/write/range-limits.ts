import type { RangeLimits } from '../../segments/merge/merge-ranges.ts';

/**
 * Size limits of ranges in segments below the sealed level: a quarter of those of sealed segments.
 * A merge holds one range of each input in memory, and open segments are many: a range of two
 * meters takes about 3 MB.
 */
export const OPEN_RANGE_LIMITS: RangeLimits = { keys: 16_384, rows: 131_072 };
