import { raiseVersion } from '../../db/write/segments/raise-layout.ts';
import { selectSliceSegments } from '../../db/write/segments/select-slice-segments.ts';
import { deleteCoverage } from '../../db/write/slices/delete-slice.ts';
import { publishSegments } from '../publish/publish-segments.ts';
import type { KeptSlice, SliceKeeper } from './slice-keeper.ts';

/**
 * Takes a slice out of all that is answered, as the last step of the transaction that is open: its
 * segments die, and what it covers is forgotten. Transactions that began before still see all of
 * it, and a merge that goes on finds its segments dead and rolls back.
 */
export async function takeOut(keeper: SliceKeeper, { sliceId }: KeptSlice): Promise<void> {
  const { connection, contextId, now } = keeper;
  await deleteCoverage(connection, sliceId);
  // Locks the context's numbers, so that no merge is published after this look at what lives.
  await raiseVersion(connection, contextId);
  const segments = await selectSliceSegments(connection, sliceId);
  await publishSegments(connection, {
    contextId,
    changes: 'data',
    born: [],
    died: segments.map(({ segmentId }) => segmentId),
    at: now(),
  });
}
