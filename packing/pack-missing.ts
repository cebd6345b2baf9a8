import type { Connection } from '../db/write/connection.ts';
import { inTransaction } from '../db/write/connection.ts';
import { tryLockContext } from '../db/write/lock-context.ts';
import { selectAvailableSlices } from '../db/write/select-available-slices.ts';
import { buildCoarseBlocks, type TakeContext } from './build-coarse.ts';
import { packSliceSamples } from './pack-slice-samples.ts';

/** What was made. isWhole: nothing is left to make; false: somebody else works on the context. */
export type PackedMissing = {
  readonly slices: number;
  readonly coarseBlocks: number;
  readonly isWhole: boolean;
};

/**
 * Packs the slices of a context that are not packed, and builds the coarse blocks that are not
 * there: each in a transaction of its own, and only while nobody else works on the context.
 */
export async function packMissing(
  connection: Connection,
  contextId: number,
  signal: AbortSignal,
): Promise<PackedMissing> {
  let isRefused = false;
  const lock: TakeContext = async (on, id) => {
    const isLocked = await tryLockContext(on, id);
    isRefused ||= !isLocked;
    return isLocked;
  };
  let slices = 0;
  for (const { sliceId, packed } of await selectAvailableSlices(connection, contextId)) {
    if (packed || isRefused) continue;
    signal.throwIfAborted();
    const isPacked = await inTransaction(
      connection,
      async () =>
        (await lock(connection, contextId)) &&
        packSliceSamples({ connection, contextId, sliceId, signal }),
    );
    if (isPacked) slices += 1;
  }
  const coarseBlocks = isRefused
    ? 0
    : await buildCoarseBlocks(connection, contextId, { signal, lock });
  return { slices, coarseBlocks, isWhole: !isRefused };
}
