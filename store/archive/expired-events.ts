import { inTransaction } from '../../db/connection/connection.ts';
import { deleteExpiredEvents, deleteUnusedRevisions } from '../../db/sql/alert-retention.ts';
import { insertAudit } from '../../db/sql/audit.ts';
import { LIMITS } from '../../domain/limits.ts';
import type { EpochSeconds } from '../../domain/time/interval.ts';
import type { ArchiveSession } from './archive-session.ts';

/**
 * Deletes alert events that ended by `before`, and superseded revisions that are left without
 * events. Returns the number of events deleted. Events that are firing or have pending deliveries
 * stay.
 */
export async function dropExpiredEvents(
  session: Pick<ArchiveSession, 'connection' | 'contextId' | 'context' | 'by' | 'signal'>,
  before: EpochSeconds,
): Promise<number> {
  const { connection, contextId, context, by, signal } = session;
  const max = LIMITS.droppedEvents;
  let dropped = 0;
  for (;;) {
    signal?.throwIfAborted();
    const deleted = await inTransaction(connection, async () => {
      const events = await deleteExpiredEvents(connection, { contextId, before, most: max });
      const entry = {
        action: 'alert events dropped',
        object: context,
        detail: { events },
      } as const;
      if (events > 0) await insertAudit(connection, [entry], by);
      return events;
    });
    dropped += deleted;
    if (deleted < max) break;
  }
  if (dropped > 0) await deleteUnusedRevisions(connection, contextId);
  return dropped;
}
