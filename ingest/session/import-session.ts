import { saveGrant } from '../../access/accounts.ts';
import { type Connection, inTransaction, openConnection } from '../../db/connection/connection.ts';
import { lockContext, lockContextCreation } from '../../db/connection/lock-context.ts';
import { cancelOnAbort } from '../../db/connection/with-connection.ts';
import { insertAudit } from '../../db/sql/audit.ts';
import { type ContextRow, insertContext, selectContext } from '../../db/sql/contexts.ts';
import { removeTakenPartitions } from '../../db/sql/remove-partitions.ts';
import { selectClock } from '../../db/sql/server-state.ts';
import type { AuditActor } from '../../domain/audit/audit-entry.ts';
import type { EpochSeconds } from '../../domain/time/interval.ts';
import { DEFAULT_SLICE_SECONDS } from '../declaration/slice-seconds.ts';
import { IngestError } from '../ingest-error.ts';
import { GATHER_LIMITS, SegmentImport } from '../segments/segment-import.ts';
import { type ImportSlices, openImportSlices } from './import-slices.ts';

/** An open import into one context: its transaction, its lock, and where readings go. */
export type ImportSession = {
  readonly connection: Connection;
  readonly contextId: number;
  readonly context: string;
  /** Name of the imported source in messages. */
  readonly source: string;
  /** Whether this import has created the context. */
  readonly isNew: boolean;
  /** Who the audit names; undefined: the user who runs this command. */
  readonly by: AuditActor | undefined;
  readonly sliceSeconds: number;
  /** Number of days for which the context keeps its slices; null: forever. */
  readonly retentionDays: number | null;
  readonly writer: SegmentImport;
  readonly slices: ImportSlices;
};

type ImportTarget = {
  readonly databaseUrl: string;
  /** Name of the imported source in messages. */
  readonly source: string;
  readonly context: string;
  /** Engine instance whose slices are filled. */
  readonly engine: number;
  /** Whether a missing context is created. */
  readonly makesContext: boolean;
  /** The user for whom a server imports, who is granted a context that this creates. */
  readonly by?: AuditActor | undefined;
  /** Writes something else in the import's transaction, before the context is looked up. */
  readonly prepare?: ((connection: Connection) => Promise<unknown>) | undefined;
  /** Called if another import is working on the context, before waiting for it. */
  readonly onWaiting?: (() => void) | undefined;
  readonly now: () => EpochSeconds;
  /** Called on the same connection once everything is committed. */
  readonly afterwards?: ((connection: Connection, contextId: number) => Promise<void>) | undefined;
  readonly signal?: AbortSignal | undefined;
  /** Rows gathered in memory before they become segments; by default as in GATHER_LIMITS. */
  readonly batchRows?: number | undefined;
};

/** Time limit for removing what an earlier import left; after it, the next import tries again. */
const REMOVAL = { waitMs: 5_000 };

/**
 * Runs `work` in one transaction that holds the context's lock. If it succeeds, everything it wrote
 * appears at once; if it fails, nothing of it stays, not even the context. Segments are published
 * as the last step, so nobody waits for a long import.
 *
 * Only the partitions of new slices are created outside the transaction, so that it locks out
 * nobody. Nobody reads a partition until its slice is listed. After a failure it is removed, by the
 * next import at the latest.
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
      // What cannot be removed is in nobody's way: the server and `slices` report it.
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
  const { isNew, ...found } = await lockedContext(target, connection);
  const { contextId, sliceSeconds, retentionDays } = found;
  const { engine, source, context } = target;
  // One time for the whole import, so that its pages of a slice lie together.
  const importedAt = target.now();
  const databaseNow = await selectClock(connection);
  const scope = { contextId, sliceSeconds, engine, importedAt };
  const slices = openImportSlices({ connection, openSecond, source, context, ...scope });
  const writer = new SegmentImport(
    { connection, contextId, slicesAt: slices.slicesAt, importedAt, databaseNow, now: target.now },
    sliceSeconds,
    { ...GATHER_LIMITS, rows: target.batchRows ?? GATHER_LIMITS.rows },
  );
  const names = { context, source, isNew, by: target.by };
  return { connection, contextId, ...names, sliceSeconds, retentionDays, writer, slices };
}

/**
 * Returns the context to import into, locked. Creates it if it is missing and the target says so.
 */
async function lockedContext(
  target: ImportTarget,
  connection: Connection,
): Promise<ContextRow & { readonly isNew: boolean }> {
  const { context, makesContext, onWaiting = () => {} } = target;
  let found = await selectContext(connection, context);
  let isNew = false;
  if (!found && makesContext) {
    // Another import may be creating it, which becomes visible only when that import is over.
    await lockContextCreation(connection, context, onWaiting);
    found = await selectContext(connection, context);
    isNew = found === null;
    found ??= await makeContext(connection, target);
  }
  if (!found) {
    throw new IngestError(`There is no context ${context}: declare it with \`countergraph apply\``);
  }
  await lockContext(connection, found.contextId, onWaiting);
  // Read again: the process that held the lock may have changed it.
  return { ...((await selectContext(connection, context)) ?? found), isNew };
}

async function makeContext(
  connection: Connection,
  { context: name, source, by }: ImportTarget,
): Promise<ContextRow> {
  const sliceSeconds = DEFAULT_SLICE_SECONDS;
  const contextId = await insertContext(connection, { name, sliceSeconds, retentionDays: null });
  const detail = { importedFrom: source };
  await insertAudit(connection, [{ action: 'context created', object: name, detail }], by);
  // Otherwise whoever uploads it could not see it: administrators see what is granted to them.
  if (by) await grantAll(connection, name, by);
  return { contextId, sliceSeconds, retentionDays: null };
}

const NO_LIMIT = { networks: [], probes: [], groups: [] };

const grantAll = (connection: Connection, context: string, by: AuditActor): Promise<void> =>
  saveGrant(connection, {
    name: by.user,
    isGroup: false,
    context,
    role: 'editor',
    limit: NO_LIMIT,
    by,
  });

async function removeOwnPartitions(connection: Promise<Connection>): Promise<void> {
  try {
    await removeTakenPartitions(await connection, REMOVAL);
  } catch {
    // The database is in trouble, which the import's own error reports. The next import removes
    // them.
  }
}

/** Opens a connection when it is first asked for. */
function openWhenNeeded(databaseUrl: string) {
  let opening: ReturnType<typeof openConnection> | null = null;
  return {
    get: (): Promise<Connection> => {
      opening ??= openConnection(databaseUrl, 'import partitions');
      return opening;
    },
    isOpen: () => opening !== null,
    // The caller that asked for a connection which could not be opened already got the error.
    end: async () =>
      opening?.then(
        (connection) => connection.end(),
        () => {},
      ),
  };
}
