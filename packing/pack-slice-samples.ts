import { deleteCoarseBlocks } from '../db/write/coarse-blocks.ts';
import type { Connection } from '../db/write/connection.ts';
import { noteChanges } from '../db/write/note-changes.ts';
import { replaceCoverage } from '../db/write/replace-coverage.ts';
import { samplePages } from '../db/write/sample-pages.ts';
import { type AvailableSlice, selectAvailableSlices } from '../db/write/select-available-slices.ts';
import { selectCoverage } from '../db/write/select-coverage.ts';
import { deleteSliceRuns } from '../db/write/slice-runs.ts';
import { updateSlicePacked } from '../db/write/update-slice-packed.ts';
import { LIMITS } from '../domain/limits.ts';
import { loadPackGroups, type StoredGroup } from './pack-groups.ts';
import { createReadingPacker } from './pack-readings.ts';
import { storedReadings } from './stored-readings.ts';

export type SliceToPack = {
  /** Its transaction is open, and holds the context's lock. */
  readonly connection: Connection;
  readonly contextId: number;
  readonly sliceId: number;
  readonly signal?: AbortSignal | undefined;
};

/**
 * Makes all that is derived from a slice's samples anew: its blocks, its series and its coverage.
 * Coarse blocks that meet it are no longer whole. False: it is not there any more, or archived.
 */
export async function packSliceSamples(work: SliceToPack): Promise<boolean> {
  const { connection, contextId, sliceId } = work;
  const slices = await selectAvailableSlices(connection, contextId);
  const slice = slices.find((each) => each.sliceId === sliceId);
  if (!slice) return false;
  const groups = await loadPackGroups(connection, contextId);
  await deleteSliceRuns(connection, contextId, sliceId);
  const spans = await spansOfSlice(connection, contextId, slice);
  const covered = await replaceCoverage(connection, sliceId);
  const all = [...spans, ...covered.map((place) => ({ ...place, ...spanOf(slice) }))];
  await deleteCoarseBlocks(connection, all);
  await updateSlicePacked(connection, sliceId);
  const groupIds = new Set(covered.map(({ groupId }) => groupId));
  await packGroups(
    work,
    slice,
    [...groupIds].flatMap((id) => groups.get(id) ?? []),
  );
  const changes = [...groups.keys()].map((groupId) => ({ groupId, ...spanOf(slice) }));
  await noteChanges(connection, contextId, changes);
  return true;
}

const spanOf = ({ startsAt, endsAt }: AvailableSlice) => ({ from: startsAt, to: endsAt });

/** What the slice covered before: samples may have gone since. */
async function spansOfSlice(connection: Connection, contextId: number, slice: AvailableSlice) {
  const rows = await selectCoverage(connection, contextId);
  return rows
    .filter(({ sliceId }) => sliceId === slice.sliceId)
    .map(({ groupId, probeId }) => ({ groupId, probeId, ...spanOf(slice) }));
}

async function packGroups(
  { connection, contextId, sliceId, signal }: SliceToPack,
  { startsAt, endsAt }: AvailableSlice,
  groups: readonly StoredGroup[],
): Promise<void> {
  const sliceSeconds = endsAt - startsAt;
  const packer = createReadingPacker({ connection, contextId, sliceSeconds, isPacked: () => true });
  for (const group of groups) {
    const of = { sliceId, groupId: group.groupId };
    for await (const page of samplePages(connection, of, LIMITS.packedPageRows)) {
      signal?.throwIfAborted();
      for (const readings of storedReadings({ group, sliceId }, page)) await packer.add(readings);
    }
  }
  await packer.finish();
}
