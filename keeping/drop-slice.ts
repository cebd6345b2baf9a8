import { dropSlice as dropSegments } from '../store/keeping/drop-slice.ts';
import { currentSlice, inHeldContext, type Keeper, type KeptSlice, ofSlice } from './keeper.ts';
import { removeLeftovers } from './leftovers.ts';
import { refuseProcessing } from './plan-slices.ts';

/**
 * Removes a slice for good: from the list and all answers in one transaction, then its archive, if
 * it has one. Its pages go when nobody can look at them any more. null: somebody else was faster,
 * or the context was not to be had within `waitMs`.
 */
export const dropSlice = (
  keeper: Keeper,
  chosen: KeptSlice,
  waitMs?: number,
): Promise<KeptSlice | null> =>
  inHeldContext(
    keeper,
    async () => {
      const slice = await currentSlice(keeper, chosen.sliceId);
      if (!slice) return null;
      refuseProcessing(slice, keeper.now());
      await dropSegments(ofSlice(keeper, slice), slice);
      await removeLeftovers(keeper.connection, keeper.contextId);
      return slice;
    },
    waitMs,
  );
