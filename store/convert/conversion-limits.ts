import { MERGE_FAN_IN } from '../merge/plan-merge.ts';

/** What a conversion has in memory at a time, and how it merges. */
export type ConversionLimits = {
  /** Rows of samples, and bytes of them with their keys, that are gathered at most. */
  readonly rows: number;
  readonly bytes: number;
  /** Blocks of 8 KiB of the old table that are read at once. */
  readonly blocks: number;
  /** Parts that are merged at once: each has a range in memory meanwhile. */
  readonly parts: number;
};

/**
 * Together with what encoding takes, a process stays below 512 MB. A slice with no more rows than
 * this becomes segments without parts, which would be written twice.
 */
export const CONVERSION_LIMITS: ConversionLimits = {
  rows: 2 ** 21,
  bytes: 128 * 2 ** 20,
  blocks: 1024,
  parts: MERGE_FAN_IN,
};
