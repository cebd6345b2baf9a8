import { type ArchiveLocation, archiveSegments } from './archive-segments.ts';
import { currentSlice, inHeldContext, type Keeper, type KeptSlice, ofSlice } from './keeper.ts';
import { refuseProcessing } from './plan-slices.ts';
import { type ArchivePool, explainPool, newArchiveLocation } from './pool-folder.ts';

export type ArchivedSlice = {
  readonly slice: KeptSlice;
  readonly rows: number;
  readonly bytes: number;
  readonly digest: string;
  readonly file: string;
};

/**
 * Writes the segments of a slice to a file in the pool and removes the slice from all answers. If
 * this is interrupted at any point, the slice is either wholly available or wholly archived, and
 * the next keeper removes a partial file. Returns null if another process archived or dropped the
 * slice first.
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
    const location: ArchiveLocation = await newArchiveLocation(pool, keeper.context, slice.name);
    try {
      const written = await archiveSegments(ofSlice(keeper, slice), slice, location);
      return { slice, ...written, file: location.file };
    } catch (error) {
      throw explainPool(pool, error);
    }
  });
