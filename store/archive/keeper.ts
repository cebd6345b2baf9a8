import type { Connection } from '../../db/connection/connection.ts';
import { holdContext, releaseContext } from '../../db/connection/lock-context.ts';
import { withConnection } from '../../db/connection/with-connection.ts';
import {
  type StoredSlice,
  selectLeftovers,
  selectStoredSlices,
} from '../../db/sql/archived-slices.ts';
import { existingContext } from '../../db/sql/contexts.ts';
import { selectPartitioned } from '../../db/sql/page-partitions.ts';
import { type RefusedRemoval, removeTakenPartitions } from '../../db/sql/remove-partitions.ts';
import { selectClock } from '../../db/sql/server-state.ts';
import type { AuditActor } from '../../domain/audit/audit-entry.ts';
import { LIMITS } from '../../domain/limits.ts';
import { sliceName } from '../../domain/slices/slice-name.ts';
import { sliceStatus } from '../../domain/slices/slice-status.ts';
import type { EpochSeconds } from '../../domain/time/interval.ts';
import { type KeptFile, removeLeftovers } from './leftovers.ts';
import type { SliceKeeper } from './slice-keeper.ts';

/** A slice as it is stored, with its name. */
export type KeptSlice = StoredSlice & { readonly name: string };

/** Maintains the storage of a context: the state that all maintenance work shares. */
export type Keeper = {
  readonly connection: Connection;
  readonly contextId: number;
  readonly context: string;
  readonly retentionDays: number | null;
  /** The database's clock: whose data it is decides what is over. */
  readonly now: () => EpochSeconds;
  /** Whom the audit names; left out: the user who runs this command. */
  readonly by?: AuditActor | undefined;
  readonly signal?: AbortSignal | undefined;
  /** Called before waiting, when another process holds the context. */
  readonly onWaiting?: (() => void) | undefined;
  /** Called with progress in bytes while a slice is written or read. */
  readonly onBytes?: ((slice: KeptSlice, done: number, of: number) => void) | undefined;
  /** How long to wait for earlier readers before the removal of a partition is left for later. */
  readonly detachWaitMs?: number | undefined;
};

type KeeperTarget = Omit<Keeper, 'connection' | 'contextId' | 'retentionDays' | 'now'> & {
  readonly databaseUrl: string;
};

/**
 * Runs work on a context's storage on a dedicated connection. Errors: the context does not exist.
 */
export const withKeeper = <T>(
  { databaseUrl, ...target }: KeeperTarget,
  work: (keeper: Keeper) => Promise<T>,
): Promise<T> =>
  withConnection({ databaseUrl, signal: target.signal }, 'slices', async (connection) => {
    const { contextId, retentionDays } = await existingContext(connection, target.context);
    const now = await databaseClock(connection);
    return work({ ...target, connection, contextId, retentionDays, now });
  });

/** Returns the database's clock, which goes on from the moment at which it was read. */
async function databaseClock(connection: Connection): Promise<() => EpochSeconds> {
  const readAtMs = performance.now();
  const read = await selectClock(connection);
  return () => read + Math.floor((performance.now() - readAtMs) / 1000);
}

/** Returns the keeper for one slice. */
export const ofSlice = (
  { connection, contextId, context, now, by, signal, onBytes }: Keeper,
  slice: KeptSlice,
): SliceKeeper => ({
  connection,
  contextId,
  context,
  now,
  by,
  signal,
  onBytes: (done, of) => onBytes?.(slice, done, of),
});

/** Lists all slices of the context, oldest first, then by engine instance. */
export async function listKeptSlices({ connection, contextId }: Keeper): Promise<KeptSlice[]> {
  const slices = await selectStoredSlices(connection, contextId);
  return slices.map((slice) => ({ ...slice, name: sliceName(slice.startsAt, slice.engine) }));
}

/** Reads the current state of the slice; null if it no longer exists. */
export const currentSlice = async (keeper: Keeper, sliceId: number): Promise<KeptSlice | null> =>
  (await listKeptSlices(keeper)).find((slice) => slice.sliceId === sliceId) ?? null;

/** Whether a slice may still be filled. */
export const isProcessing = (slice: KeptSlice, now: EpochSeconds): boolean =>
  sliceStatus(slice, now) === 'processing';

/**
 * Runs work while holding the context. Imports and other keepers wait for it, and it waits for
 * them; readers are not affected. Returns null if the context's lock was not acquired within
 * `waitMs` (0 means no limit).
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
    // First finish any interrupted work.
    await removeLeftovers(connection, contextId);
    return await work();
  } finally {
    // A lost connection has already released the lock.
    await releaseContext(connection, contextId).catch(() => undefined);
  }
}

type Finished = {
  /** Slices whose partitions earlier readers may still use; they are removed later. */
  readonly partitions: readonly number[];
  /** Partitions of these or of other slices that cannot be removed. */
  readonly refused: readonly RefusedRemoval[];
  /** Archives that could not be removed yet. */
  readonly files: readonly KeptFile[];
};

/**
 * Cleans up after slices were archived or dropped: removes their pages and all unneeded files. What
 * cannot be removed now is left for later runs.
 */
export async function finishKeeping(
  keeper: Keeper,
  { taken }: { taken: readonly number[] },
): Promise<Finished> {
  const { connection, contextId, signal, detachWaitMs: waitMs = LIMITS.detachWaitMs } = keeper;
  const refused = await removeTakenPartitions(connection, { waitMs, signal });
  const refusedSlices = new Set(refused.map(({ sliceId }) => sliceId));
  const partitions = (await selectPartitioned(connection, taken)).filter(
    (sliceId) => !refusedSlices.has(sliceId),
  );
  // Without this look, a command with nothing to remove would wait for a running import.
  const leftovers = await selectLeftovers(connection, contextId);
  if (leftovers.length === 0) return { partitions, refused, files: [] };
  const files = await inHeldContext(keeper, () => removeLeftovers(connection, contextId));
  return { partitions, refused, files: files ?? [] };
}
