import { insertLeftover } from '../db/write/archive-leftovers.ts';
import { inTransaction } from '../db/write/connection.ts';
import { deleteSlice } from '../db/write/delete-slice.ts';
import { currentSlice, inHeldContext, type Keeper, type KeptSlice } from './keeper.ts';
import { removeLeftovers } from './leftovers.ts';
import { refuseProcessing } from './plan-slices.ts';
import { takeOut } from './take-out.ts';

/**
 * Removes a slice for good: from the list and all answers in one transaction, then its archive, if
 * it has one. Its partition goes when nobody can look at it any more. null: somebody else was
 * faster, or the context was not to be had within `waitMs`.
 */
export const dropSlice = (
  keeper: Keeper,
  chosen: KeptSlice,
  waitMs?: number,
): Promise<KeptSlice | null> =>
  inHeldContext(
    keeper,
    async () => {
      const { connection, contextId } = keeper;
      const slice = await currentSlice(keeper, chosen.sliceId);
      if (!slice) return null;
      refuseProcessing(slice, keeper.now());
      await inTransaction(connection, async () => {
        await takeOut(keeper, slice);
        await deleteSlice(connection, slice.sliceId);
        if (slice.archive) await insertLeftover(connection, contextId, slice.archive);
      });
      await removeLeftovers(connection, contextId);
      return slice;
    },
    waitMs,
  );
