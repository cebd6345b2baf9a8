import { dropSegments } from './drop-segments.ts';
import { currentSlice, inHeldContext, type Keeper, type KeptSlice, ofSlice } from './keeper.ts';
import { removeLeftovers } from './leftovers.ts';
import { refuseProcessing } from './plan-slices.ts';

/**
 * Removes a slice for good: first from the list and from all answers, in one transaction, then its
 * archive, if it has one. Its pages are removed once no reader can use them. Returns null if
 * another process dropped the slice first, or if the context's lock was not acquired within
 * `waitMs`.
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
