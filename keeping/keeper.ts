import type { Connection } from '../db/connection/connection.ts';
import { existingContext } from '../db/write/existing-context.ts';
import { holdContext, releaseContext } from '../db/write/lock-context.ts';
import { removeTakenPartitions } from '../db/write/pages/remove-taken-partitions.ts';
import { selectPartitioned } from '../db/write/pages/select-partitioned.ts';
import { type StoredSlice, selectStoredSlices } from '../db/write/slices/select-stored-slices.ts';
import { withConnection } from '../db/write/with-connection.ts';
import { LIMITS } from '../domain/limits.ts';
import { sliceName } from '../domain/slices/slice-name.ts';
import type { EpochSeconds } from '../domain/time/interval.ts';
import type { SliceKeeper } from '../store/keeping/slice-keeper.ts';
import { type KeptFile, removeLeftovers } from './leftovers.ts';

/** A slice as it is stored, with its name. */
export type KeptSlice = StoredSlice & { readonly name: string };

/** Who keeps the storage of a context in order: what all its work shares. */
export type Keeper = {
  readonly connection: Connection;
  readonly contextId: number;
  readonly context: string;
  readonly retentionDays: number | null;
  readonly now: () => EpochSeconds;
  readonly signal?: AbortSignal | undefined;
  /** Called when somebody else works on the context, before waiting for it. */
  readonly onWaiting?: (() => void) | undefined;
  /** Called as a slice is written or read, in bytes. */
  readonly onBytes?: ((slice: KeptSlice, done: number, of: number) => void) | undefined;
  /** How long readers of before are waited for, before a partition is left to others. */
  readonly detachWaitMs?: number | undefined;
};

export type KeeperTarget = Omit<
  Keeper,
  'connection' | 'contextId' | 'context' | 'retentionDays'
> & {
  readonly databaseUrl: string;
  readonly context: string;
};

/** Work on a context's storage, on a connection of its own. Errors: there is no such context. */
export const withKeeper = <T>(
  { databaseUrl, ...target }: KeeperTarget,
  work: (keeper: Keeper) => Promise<T>,
): Promise<T> =>
  withConnection({ databaseUrl, signal: target.signal }, 'slices', async (connection) => {
    const { contextId, retentionDays } = await existingContext(connection, target.context);
    return work({ ...target, connection, contextId, retentionDays });
  });

/** The keeper of one slice. */
export const ofSlice = (
  { connection, contextId, context, now, signal, onBytes }: Keeper,
  slice: KeptSlice,
): SliceKeeper => ({
  connection,
  contextId,
  context,
  now,
  signal,
  onBytes: (done, of) => onBytes?.(slice, done, of),
});

/** All slices of the context, oldest first, then by engine instance. */
export async function listKeptSlices({ connection, contextId }: Keeper): Promise<KeptSlice[]> {
  const slices = await selectStoredSlices(connection, contextId);
  return slices.map((slice) => ({ ...slice, name: sliceName(slice.startsAt, slice.engine) }));
}

/** The slice as it is now; null: it is gone. */
export const currentSlice = async (keeper: Keeper, sliceId: number): Promise<KeptSlice | null> =>
  (await listKeptSlices(keeper)).find((slice) => slice.sliceId === sliceId) ?? null;

/** Whether a slice may still be filled: its end is in the future (decision 17). */
export const isProcessing = (slice: KeptSlice, now: EpochSeconds): boolean =>
  !slice.archived && (slice.held || slice.endsAt > now);

/**
 * Work while nobody else changes the context: imports and other keepers wait for it, and it for
 * them. Readers do not notice. null: the context was not given within `waitMs` (0: as long
 * as it takes).
 */
export async function inHeldContext<T>(
  keeper: Keeper,
  work: () => Promise<T>,
  waitMs = 0,
): Promise<T | null> {
  const { connection, contextId, signal, onWaiting = () => {} } = keeper;
  signal?.throwIfAborted();
  if (!(await holdContext(connection, contextId, { onWaiting, waitMs }))) return null;
  try {
    // What was cut off before is finished first.
    await removeLeftovers(connection, contextId);
    return await work();
  } finally {
    // A connection that is lost has given it back already.
    await releaseContext(connection, contextId).catch(() => undefined);
  }
}

export type Finished = {
  /** Slices whose partitions older readers may still look at: they are removed later. */
  readonly partitions: readonly number[];
  /** Archives that could not be removed yet. */
  readonly files: readonly KeptFile[];
};

/**
 * What comes after the slices: the pages of those that were archived or dropped are removed, and
 * files that nobody needs. All of it is done by others later where it cannot be done now.
 */
export async function finishKeeping(
  keeper: Keeper,
  { taken }: { taken: readonly number[] },
): Promise<Finished> {
  const { connection, contextId, signal, detachWaitMs: waitMs = LIMITS.detachWaitMs } = keeper;
  await removeTakenPartitions(connection, { waitMs, signal });
  const partitions = await selectPartitioned(connection, taken);
  const files = await inHeldContext(keeper, () => removeLeftovers(connection, contextId));
  return { partitions, files: files ?? [] };
}
