import { type Connection, inTransaction, openConnection } from '../../db/connection/connection.ts';
import { cancelOnAbort } from '../../db/write/cancel-on-abort.ts';
import { insertContext } from '../../db/write/declaration/insert-context.ts';
import { lockContext, lockContextCreation } from '../../db/write/lock-context.ts';
import { removeTakenPartitions } from '../../db/write/pages/remove-taken-partitions.ts';
import { type ContextRow, selectContext } from '../../db/write/select-context.ts';
import type { EpochSeconds } from '../../domain/time/interval.ts';
import { DEFAULT_SLICE_SECONDS } from '../declaration/slice-seconds.ts';
import { IngestError } from '../ingest-error.ts';
import { GATHER_LIMITS, SegmentImport } from '../segments/segment-import.ts';
import { type ImportSlices, openImportSlices } from './import-slices.ts';

/** An open import into one context: its transaction, its lock, and where readings go. */
export type ImportSession = {
  readonly connection: Connection;
  readonly contextId: number;
  readonly sliceSeconds: number;
  /** For how many days the context keeps its slices; null: for ever. */
  readonly retentionDays: number | null;
  readonly writer: SegmentImport;
  readonly slices: ImportSlices;
};

export type ImportTarget = {
  readonly databaseUrl: string;
  /** What messages call the thing that is imported. */
  readonly source: string;
  readonly context: string;
  /** Instance of the engine whose slices are filled. */
  readonly engine: number;
  /** Whether a context that is not there is made. */
  readonly makesContext: boolean;
  /** What else is to be written in the import's transaction, before the context is looked for. */
  readonly prepare?: ((connection: Connection) => Promise<unknown>) | undefined;
  /** Called when another import works on the context, before waiting for it. */
  readonly onWaiting?: (() => void) | undefined;
  readonly now: () => EpochSeconds;
  /** What is to be done on the same connection once all is committed. */
  readonly afterwards?: ((connection: Connection, contextId: number) => Promise<void>) | undefined;
  readonly signal?: AbortSignal | undefined;
  /** Rows gathered in memory before they become segments; GATHER_LIMITS without it. */
  readonly batchRows?: number | undefined;
};

/** What an earlier import has left is not waited for any longer: the next one looks again. */
const REMOVAL = { waitMs: 5_000 };

/**
 * Runs `work` in one transaction that holds the context's lock. All that it writes appears at once
 * when it succeeds; when it fails, nothing of it stays, the context included. Its segments are
 * published as the last step, so nobody waits for an import that takes long.
 *
 * Only the partitions of new slices are made outside of the transaction, so that it locks out
 * nobody. Until a slice is listed nobody reads its partition, and after a failure it is removed,
 * at the latest by the next import.
 */
export async function runImport<T>(
  target: ImportTarget,
  work: (session: ImportSession) => Promise<T>,
): Promise<T> {
  const connection = await openConnection(target.databaseUrl, 'import');
  const second = openWhenNeeded(target.databaseUrl);
  try {
    const stopCancelling = await cancelOnAbort(target.databaseUrl, connection, target.signal);
    try {
      target.signal?.throwIfAborted();
      await removeTakenPartitions(connection, REMOVAL);
      target.signal?.throwIfAborted();
      const { result, contextId } = await inTransaction(connection, async () => {
        await target.prepare?.(connection);
        const session = await openSession(target, connection, second.get);
        const done = await work(session);
        await session.writer.publish();
        target.signal?.throwIfAborted();
        return { result: done, contextId: session.contextId };
      });
      await target.afterwards?.(connection, contextId);
      return result;
    } finally {
      await stopCancelling();
    }
  } catch (error) {
    if (second.isOpen()) await removeOwnPartitions(second.get());
    // Statements that an abort has cancelled fail with an error of their own.
    target.signal?.throwIfAborted();
    throw error;
  } finally {
    await Promise.all([connection.end(), second.end()]);
  }
}

async function openSession(
  target: ImportTarget,
  connection: Connection,
  openSecond: () => Promise<Connection>,
): Promise<ImportSession> {
  const { contextId, sliceSeconds, retentionDays } = await lockedContext(target, connection);
  const { engine, source, context } = target;
  // Once for all of it, so that its pages of a slice lie together.
  const importedAt = target.now();
  const place = { contextId, sliceSeconds, engine, importedAt };
  const slices = openImportSlices({ connection, openSecond, source, context, ...place });
  const writer = new SegmentImport(
    { connection, contextId, slicesAt: slices.slicesAt, importedAt, now: target.now },
    sliceSeconds,
    { ...GATHER_LIMITS, rows: target.batchRows ?? GATHER_LIMITS.rows },
  );
  return { connection, contextId, sliceSeconds, retentionDays, writer, slices };
}

/** The context to import into, locked and found or made as the target says. */
async function lockedContext(target: ImportTarget, connection: Connection): Promise<ContextRow> {
  const { context, makesContext, onWaiting = () => {} } = target;
  let found = await selectContext(connection, context);
  if (!found && makesContext) {
    // Another import may be making it: only when that one is over can its context be seen.
    await lockContextCreation(connection, context, onWaiting);
    found = (await selectContext(connection, context)) ?? (await makeContext(connection, context));
  }
  if (!found) {
    throw new IngestError(`There is no context ${context}: declare it with \`countergraph apply\``);
  }
  await lockContext(connection, found.contextId, onWaiting);
  // Read again: it may have been changed by the one that was waited for.
  return (await selectContext(connection, context)) ?? found;
}

async function makeContext(connection: Connection, name: string): Promise<ContextRow> {
  const sliceSeconds = DEFAULT_SLICE_SECONDS;
  const contextId = await insertContext(connection, { name, sliceSeconds, retentionDays: null });
  return { contextId, sliceSeconds, retentionDays: null };
}

async function removeOwnPartitions(connection: Promise<Connection>): Promise<void> {
  try {
    await removeTakenPartitions(await connection, REMOVAL);
  } catch {
    // The database is in trouble, which the import's own error tells. The next import removes them.
  }
}

/** A connection that is made when it is first asked for. */
function openWhenNeeded(databaseUrl: string) {
  let opening: ReturnType<typeof openConnection> | null = null;
  return {
    get: (): Promise<Connection> => {
      opening ??= openConnection(databaseUrl, 'import partitions');
      return opening;
    },
    isOpen: () => opening !== null,
    // Whoever asked for a connection that could not be made was told.
    end: async () =>
      opening?.then(
        (connection) => connection.end(),
        () => {},
      ),
  };
}
