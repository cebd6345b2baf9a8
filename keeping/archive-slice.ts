import { rm } from 'node:fs/promises';
import { deleteLeftover, insertLeftover } from '../db/write/archive-leftovers.ts';
import { inTransaction } from '../db/write/connection.ts';
import { selectPartitions } from '../db/write/remove-partitions.ts';
import { countSamples } from '../db/write/sample-text.ts';
import { updateSliceArchived } from '../db/write/update-slice-archived.ts';
import { partialOf } from '../domain/partial-file.ts';
import { describeArchive } from './archive-form.ts';
import { currentSlice, inHeldContext, type Keeper, type KeptSlice } from './keeper.ts';
import { refuseProcessing } from './plan-slices.ts';
import {
  type ArchivePlace,
  type ArchivePool,
  explainPool,
  newArchivePlace,
} from './pool-folder.ts';
import { takeOut } from './take-out.ts';
import { writeArchive } from './write-archive.ts';

export type ArchivedSlice = {
  readonly slice: KeptSlice;
  readonly rows: number;
  readonly bytes: number;
  readonly digest: string;
  readonly file: string;
};

/**
 * Writes the samples of a slice to a file of the pool, and then takes the slice out of all that is
 * answered, in one transaction. Its partition stays until nobody can look at it any more. Cut off
 * anywhere, the slice is either available or archived as a whole, and a file that was begun is
 * removed by the next keeper. null: somebody else was faster.
 */
export const archiveSlice = (
  keeper: Keeper,
  chosen: KeptSlice,
  pool: ArchivePool,
): Promise<ArchivedSlice | null> =>
  inHeldContext(keeper, async () => {
    const { connection, contextId, context } = keeper;
    const slice = await currentSlice(keeper, chosen.sliceId);
    if (!slice || slice.archived) return null;
    refuseProcessing(slice, keeper.now());
    await requirePartition(keeper, slice);
    const rows = await countSamples(connection, slice.sliceId);
    const header = await describeArchive(keeper, slice, rows);
    const place = await newArchivePlace(pool, context, slice.name);
    await insertLeftover(connection, contextId, place);
    const written = await writeArchive(keeper, slice, { header, file: place.file }).catch(
      async (error: unknown) => {
        await discard(keeper, place);
        throw explainPool(pool, error);
      },
    );
    const archive = { ...place, ...written, rows };
    await inTransaction(connection, async () => {
      await takeOut(keeper, slice);
      await updateSliceArchived(connection, slice.sliceId, archive);
      await deleteLeftover(connection, contextId, place);
    });
    return { slice, rows, ...written, file: place.file };
  });

/** Somebody may have detached it by hand. */
async function requirePartition({ connection }: Keeper, { sliceId, name }: KeptSlice) {
  if ((await selectPartitions(connection, [sliceId])).length > 0) return;
  throw new Error(`The samples of ${name} are not there: there is no table samples_${sliceId}`);
}

/** What was begun goes at once; where that fails, the next keeper removes it. */
async function discard({ connection, contextId }: Keeper, place: ArchivePlace): Promise<void> {
  try {
    await rm(partialOf(place.file), { force: true });
    await rm(place.file, { force: true });
    await deleteLeftover(connection, contextId, place);
  } catch {
    // The error before says more than this one.
  }
}
