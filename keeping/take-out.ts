import { deleteCoarseBlocks } from '../db/write/coarse-blocks.ts';
import { deleteCoarseRuns } from '../db/write/delete-coarse-runs.ts';
import { deleteCoverage } from '../db/write/delete-slice.ts';
import { noteChanges } from '../db/write/note-changes.ts';
import { selectCoverage } from '../db/write/select-coverage.ts';
import { deleteSliceRuns } from '../db/write/slice-runs.ts';
import { loadPackGroups } from '../packing/pack-groups.ts';
import { resolutionsOf } from '../topk/resolutions.ts';
import type { Keeper, KeptSlice } from './keeper.ts';

/**
 * Removes all that is derived from a slice's samples, in the transaction that is open: its blocks,
 * series and coverage, and the longer blocks that hold some of it beside other slices. It comes
 * before the slice is archived, as what an archived one covers is not looked at. Transactions that
 * began before still see all of it.
 */
export async function takeOut(keeper: Keeper, slice: KeptSlice): Promise<void> {
  const { connection, contextId } = keeper;
  const { sliceId } = slice;
  const groups = await loadPackGroups(connection, contextId);
  const time = { from: slice.startsAt, to: slice.endsAt };
  const coverage = await selectCoverage(connection, contextId);
  const spans = coverage
    .filter((row) => row.sliceId === sliceId)
    .map(({ groupId, probeId }) => ({ groupId, probeId, ...time }));
  await deleteCoarseBlocks(connection, spans);
  await deleteCoarseRuns(
    connection,
    spans.flatMap((span) => {
      const { coarse } = resolutionsOf(groups.get(span.groupId)?.bucketSeconds ?? 1);
      return coarse.map((level) => ({ ...span, level }));
    }),
  );
  await deleteSliceRuns(connection, contextId, sliceId);
  await deleteCoverage(connection, sliceId);
  await noteChanges(
    connection,
    contextId,
    [...groups.keys()].map((groupId) => ({ groupId, ...time })),
  );
}
