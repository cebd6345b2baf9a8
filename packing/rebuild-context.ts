import { type Connection, inTransaction } from '../db/write/connection.ts';
import { existingContext } from '../db/write/existing-context.ts';
import { lockContext } from '../db/write/lock-context.ts';
import { noteChanges } from '../db/write/note-changes.ts';
import { selectAvailableSlices } from '../db/write/select-available-slices.ts';
import { countSliceRuns, deleteRunsOfNoSlice } from '../db/write/slice-runs.ts';
import { withConnection } from '../db/write/with-connection.ts';
import { MAX_EPOCH_SECONDS } from '../domain/interval.ts';
import { buildCoarseBlocks } from './build-coarse.ts';
import { loadPackGroups } from './pack-groups.ts';
import { packSliceSamples } from './pack-slice-samples.ts';

export type RebuildTarget = {
  readonly databaseUrl: string;
  readonly context: string;
  readonly signal?: AbortSignal | undefined;
  /** Called when an import works on the context, before waiting for it. */
  readonly onWaiting?: () => void;
  /** Called after each slice. */
  readonly onProgress?: (progress: { readonly slices: number; readonly of: number }) => void;
};

/** rows: of packed blocks and series. */
export type RebuildReport = {
  readonly context: string;
  readonly slices: number;
  readonly rows: number;
  readonly coarseBlocks: number;
};

/**
 * Makes all that is derived from a context's samples anew: each slice in a transaction of its own,
 * so that an import that waits for the context gets its turn, then the blocks of a day and more.
 * Wherever it is stopped, what is there is whole. Archived slices are left alone.
 */
export async function rebuildContext(target: RebuildTarget): Promise<RebuildReport> {
  const { context, signal } = target;
  return withConnection(target, 'rebuild', async (connection) => {
    const { contextId } = await existingContext(connection, context);
    const done = await rebuildSlices(target, connection, contextId);
    await inLockedContext(target, connection, contextId, () => sweep(connection, contextId));
    const coarseBlocks = await buildCoarseBlocks(connection, contextId, { signal });
    return { context, ...done, coarseBlocks };
  });
}

async function rebuildSlices(
  target: RebuildTarget,
  connection: Connection,
  contextId: number,
): Promise<{ slices: number; rows: number }> {
  const slices = await selectAvailableSlices(connection, contextId);
  let [done, rows] = [0, 0];
  for (const [index, { sliceId }] of slices.entries()) {
    const packed = await inLockedContext(target, connection, contextId, async () => {
      const work = { connection, contextId, sliceId, signal: target.signal };
      if (!(await packSliceSamples(work))) return null;
      return countSliceRuns(connection, contextId, sliceId);
    });
    if (packed !== null) done += 1;
    rows += packed ?? 0;
    target.onProgress?.({ slices: index + 1, of: slices.length });
  }
  return { slices: done, rows };
}

function inLockedContext<T>(
  { signal, onWaiting = () => {} }: RebuildTarget,
  connection: Connection,
  contextId: number,
  work: () => Promise<T>,
): Promise<T> {
  signal?.throwIfAborted();
  return inTransaction(connection, async () => {
    await lockContext(connection, contextId, onWaiting);
    const result = await work();
    signal?.throwIfAborted();
    return result;
  });
}

/** What no slice's turn has removed. Until they are built again, finer blocks answer for coarse. */
async function sweep(connection: Connection, contextId: number): Promise<void> {
  await deleteRunsOfNoSlice(connection, contextId);
  const groups = await loadPackGroups(connection, contextId);
  const changes = [...groups.keys()].map((groupId) => ({ groupId, ...ALL_TIME }));
  await noteChanges(connection, contextId, changes);
}

const ALL_TIME = { from: 0, to: MAX_EPOCH_SECONDS + 1 };
