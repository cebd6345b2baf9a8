import { MERGE_FAN_IN } from '../merge/plan-merge.ts';

/** How much a conversion holds in memory, and how it merges. */
export type ConversionLimits = {
  /** Maximum rows of samples gathered, and maximum bytes of them with their keys. */
  readonly rows: number;
  readonly bytes: number;
  /** Blocks of 8 KiB of the old table read at once. */
  readonly blocks: number;
  /** Parts merged at once; each has a range in memory meanwhile. */
  readonly parts: number;
};

/**
 * Including what encoding takes, a process stays below 512 MB. A slice with no more rows than this
 * becomes segments directly, without parts, which are written twice.
 */
export const CONVERSION_LIMITS: ConversionLimits = {
  rows: 2 ** 21,
  bytes: 128 * 2 ** 20,
  blocks: 1024,
  parts: MERGE_FAN_IN,
};
