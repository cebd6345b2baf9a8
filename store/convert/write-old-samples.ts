import type { Connection } from '../../db/connection/connection.ts';
import { copiesOf } from '../../db/session/copy-source.ts';
import { readOldSamples } from '../../db/write/convert/old-samples.ts';
import { type OldTables, selectBlockCount } from '../../db/write/convert/old-tables.ts';
import { CONVERSION_LIMITS, type ConversionLimits } from './conversion-limits.ts';
import { loadConvertedGroups } from './converted-group.ts';
import type { WrittenSegments } from './pair-writer.ts';
import { SlicePairs } from './slice-pairs.ts';

/** A slice whose samples are to be written as segments. */
type SliceToWrite = {
  readonly contextId: number;
  readonly sliceId: number;
  /** If so, it gets one sealed segment for each group and probe. */
  readonly isOver: boolean;
};

export type WritingOptions = {
  /** Epoch seconds. */
  readonly now: number;
  readonly limits?: ConversionLimits | undefined;
  readonly signal?: AbortSignal | undefined;
  /** Called as samples are read: how many so far, and the fraction of the slice read, up to 1. */
  readonly onSamples?: ((samples: number, part: number) => void) | undefined;
};

type WrittenSamples = WrittenSegments & {
  /** Rows of the old table. */
  readonly samples: number;
};

/**
 * Writes the samples of a slice as segments, in the open transaction. A slice that is over gets one
 * sealed segment for each group and probe, any other gets segments of level 0. Rows are read in
 * table order, sorted by group and probe in memory, and written whenever the limits are reached.
 * Errors: samples of a group that is not in the context, and those of loadKeysOfIds.
 */
export async function writeOldSamples(
  connection: Connection,
  slice: SliceToWrite,
  {
    tables,
    now,
    limits = CONVERSION_LIMITS,
    signal,
    onSamples,
  }: WritingOptions & {
    readonly tables: OldTables;
  },
): Promise<WrittenSamples> {
  const { sliceId, contextId, isOver } = slice;
  const groups = await loadConvertedGroups(connection, contextId);
  const work = { connection, sliceId, isOver, now, keys: tables.keys, parts: limits.parts };
  const pairs = new SlicePairs(work, groups);
  const blocks = await selectBlockCount(connection, tables.samples);
  const source = copiesOf(connection);
  let samples = 0;
  for (let from = 0; from < blocks; from += limits.blocks) {
    signal?.throwIfAborted();
    const to = Math.min(from + limits.blocks, blocks);
    samples += pairs.addAll(await readOldSamples(source, tables.samples, { from, to }));
    await pairs.keepWithin(limits);
    onSamples?.(samples, to / blocks);
  }
  return { samples, ...(await pairs.finish()) };
}
