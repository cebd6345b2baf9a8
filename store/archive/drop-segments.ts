import { inTransaction } from '../../db/connection/connection.ts';
import { insertLeftover, type StoredSlice } from '../../db/sql/archived-slices.ts';
import { deleteSlice } from '../../db/sql/slices.ts';
import { sweepLabels } from './looked-up-labels.ts';
import { auditSlice, type KeptSlice, type SliceKeeper } from './slice-keeper.ts';
import { takeOut } from './take-out.ts';

/**
 * Removes a slice for good, archived or not, in one transaction: from the list, from all answers,
 * and with the labels of keys that no other slice has. Its archive becomes one of the context's
 * leftovers. Its pages go when no reader can need them (db/sql/remove-partitions.ts),
 * and the sweep removes its rows of the manifest.
 */
export const dropSegments = (
  keeper: SliceKeeper,
  slice: KeptSlice & Pick<StoredSlice, 'archive'>,
): Promise<void> =>
  inTransaction(keeper.connection, async () => {
    const { connection, contextId } = keeper;
    await sweepLabels(keeper, slice);
    if (slice.archive) await insertLeftover(connection, contextId, slice.archive);
    await deleteSlice(connection, slice.sliceId);
    await takeOut(keeper, slice);
    const detail = { wasArchived: slice.archive !== null };
    await auditSlice(keeper, slice, { action: 'slice dropped', detail });
  });
