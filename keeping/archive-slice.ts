import {
  type ArchivePlace,
  archiveSlice as archiveSegments,
} from '../store/keeping/archive-slice.ts';
import { currentSlice, inHeldContext, type Keeper, type KeptSlice, ofSlice } from './keeper.ts';
import { refuseProcessing } from './plan-slices.ts';
import { type ArchivePool, explainPool, newArchivePlace } from './pool-folder.ts';

export type ArchivedSlice = {
  readonly slice: KeptSlice;
  readonly rows: number;
  readonly bytes: number;
  readonly digest: string;
  readonly file: string;
};

/**
 * Writes the segments of a slice to a file of the pool, and takes the slice out of all that is
 * answered. Cut off anywhere, the slice is either available or archived as a whole, and a file that
 * was begun is removed by the next keeper. null: somebody else was faster.
 */
export const archiveSlice = (
  keeper: Keeper,
  chosen: KeptSlice,
  pool: ArchivePool,
): Promise<ArchivedSlice | null> =>
  inHeldContext(keeper, async () => {
    const slice = await currentSlice(keeper, chosen.sliceId);
    if (!slice || slice.archived) return null;
    refuseProcessing(slice, keeper.now());
    const place: ArchivePlace = await newArchivePlace(pool, keeper.context, slice.name);
    try {
      const written = await archiveSegments(ofSlice(keeper, slice), slice, place);
      return { slice, ...written, file: place.file };
    } catch (error) {
      throw explainPool(pool, error);
    }
  });
