import type { SlotFolds } from '../topk/merge-blocks.ts';

/** A counter group as packing sees it. folds: by slot − 1, null for a meter without readings. */
export type PackGroup = {
  readonly groupId: number;
  readonly bucketSeconds: number;
  readonly topperBucketSeconds: number;
  readonly folds: SlotFolds;
};

/**
 * Readings by row. numbers[row]: the reading; NaN: none; ±Infinity: look it up in large, which may
 * hold numbers of other rows, too: read with `readingAt`.
 */
export type ReadingColumn = {
  readonly numbers: Float64Array;
  readonly large: ReadonlyMap<number, bigint>;
};

/**
 * The readings of one group, probe and slice in a batch: rows ascending by bucket, shard and key
 * id. Rows of the same bucket and key are next to each other; there is more than one only where
 * their sum is too large for one row.
 */
export type SortedReadings = {
  readonly group: PackGroup;
  readonly probeId: number;
  readonly sliceId: number;
  /** The arrays may be longer. */
  readonly rowCount: number;
  /** Epoch seconds. */
  readonly buckets: Float64Array;
  readonly shards: Uint8Array;
  readonly keyIds: Uint32Array;
  /** By slot − 1. */
  readonly readings: readonly ReadingColumn[];
  /** By slot − 1; null unless the slot's fold is 'mean'; 1 where nothing else was said. */
  readonly counts: readonly (ReadingColumn | null)[];
};

/** What else is made of the readings, in the same transaction. */
export type ReadingsSink = {
  add(readings: SortedReadings): Promise<void>;
  finish(): Promise<void>;
};
