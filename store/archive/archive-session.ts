import type { Connection } from '../../db/connection/connection.ts';
import { holdContext, releaseContext } from '../../db/connection/lock-context.ts';
import { withConnection } from '../../db/connection/with-connection.ts';
import {
  type StoredSlice,
  selectLeftovers,
  selectStoredSlices,
} from '../../db/sql/archived-slices.ts';
import { insertAudit } from '../../db/sql/audit.ts';
import { existingContext } from '../../db/sql/contexts.ts';
import { selectPartitioned } from '../../db/sql/page-partitions.ts';
import { type RefusedRemoval, removeTakenPartitions } from '../../db/sql/remove-partitions.ts';
import { selectClock } from '../../db/sql/server-state.ts';
import type { AuditActor, AuditDetail } from '../../domain/audit/audit-entry.ts';
import { LIMITS } from '../../domain/limits.ts';
import { sliceName } from '../../domain/slices/slice-name.ts';
import { sliceStatus } from '../../domain/slices/slice-status.ts';
import type { EpochSeconds } from '../../domain/time/interval.ts';
import { type KeptFile, removeLeftovers } from './leftovers.ts';

/** Identifies a slice; times in epoch seconds. */
export type SliceIdentity = Pick<StoredSlice, 'sliceId' | 'engine' | 'startsAt' | 'endsAt'>;

/** A slice as it is stored, with its name. */
export type NamedSlice = StoredSlice & { readonly name: string };

/** What listing, archiving, restoring and dropping the slices of one context share. */
export type ArchiveSession = {
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
  /** Called with the bytes of a slice's pages that were written or read so far, and their total. */
  readonly onBytes?: ((slice: SliceIdentity, done: number, of: number) => void) | undefined;
  /** How long to wait for earlier readers before the removal of a partition is left for later. */
  readonly detachWaitMs?: number | undefined;
};

type SessionTarget = Omit<ArchiveSession, 'connection' | 'contextId' | 'retentionDays' | 'now'> & {
  readonly databaseUrl: string;
};

/**
 * Runs work on a context's storage on a dedicated connection. Errors: the context does not exist.
 */
export const withArchiveSession = <T>(
  { databaseUrl, ...target }: SessionTarget,
  work: (session: ArchiveSession) => Promise<T>,
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

/** Lists all slices of the context, oldest first, then by engine instance. */
export async function listNamedSlices({
  connection,
  contextId,
}: ArchiveSession): Promise<NamedSlice[]> {
  const slices = await selectStoredSlices(connection, contextId);
  return slices.map((slice) => ({ ...slice, name: sliceName(slice.startsAt, slice.engine) }));
}

/** Reads the current state of the slice; null if it no longer exists. */
export const currentSlice = async (
  session: ArchiveSession,
  sliceId: number,
): Promise<NamedSlice | null> =>
  (await listNamedSlices(session)).find((slice) => slice.sliceId === sliceId) ?? null;

/** Whether a slice may still be filled. */
export const isProcessing = (slice: NamedSlice, now: EpochSeconds): boolean =>
  sliceStatus(slice, now) === 'processing';

/**
 * Runs work while holding the context. Imports and other sessions wait for it, and it waits for
 * them; readers are not affected. Returns null if the context's lock was not acquired within
 * `waitMs` (0 means no limit).
 */
export async function inHeldContext<T>(
  session: ArchiveSession,
  work: () => Promise<T>,
  waitMs = 0,
): Promise<T | null> {
  const { connection, contextId, signal, onWaiting = () => {} } = session;
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
export async function finishArchiving(
  session: ArchiveSession,
  { taken }: { taken: readonly number[] },
): Promise<Finished> {
  const { connection, contextId, signal, detachWaitMs: waitMs = LIMITS.detachWaitMs } = session;
  const refused = await removeTakenPartitions(connection, { waitMs, signal });
  const refusedSlices = new Set(refused.map(({ sliceId }) => sliceId));
  const partitions = (await selectPartitioned(connection, taken)).filter(
    (sliceId) => !refusedSlices.has(sliceId),
  );
  // Without this look, a command with nothing to remove would wait for a running import.
  const leftovers = await selectLeftovers(connection, contextId);
  if (leftovers.length === 0) return { partitions, refused, files: [] };
  const files = await inHeldContext(session, () => removeLeftovers(connection, contextId));
  return { partitions, refused, files: files ?? [] };
}

type AuditedAction = {
  readonly action: 'slice archived' | 'slice restored' | 'slice dropped';
  readonly detail?: AuditDetail;
};

/** Records what happens to a slice, in the transaction in which it happens. */
export const auditSlice = (
  { connection, context, by }: ArchiveSession,
  { startsAt, engine }: SliceIdentity,
  { action, detail }: AuditedAction,
): Promise<void> =>
  insertAudit(
    connection,
    [{ action, object: sliceName(startsAt, engine), detail: { context, ...detail } }],
    by,
  );
