import type { RangeLimits } from '../../segments/merge/merge-ranges.ts';

/**
 * How large the ranges of segments below the sealed level are: a quarter of those of sealed ones. A
 * merge has a range of each of its inputs in memory, and of these there are many: a range of two
 * meters takes some 3 MB.
 */
export const OPEN_RANGE_LIMITS: RangeLimits = { keys: 16_384, rows: 131_072 };
