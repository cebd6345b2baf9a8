import { inTransaction } from '../db/connection/connection.ts';
import { countExpiredEvents as count } from '../db/write/alerts/retention/count-expired-events.ts';
import { deleteExpiredEvents } from '../db/write/alerts/retention/delete-expired-events.ts';
import { deleteUnusedRevisions } from '../db/write/alerts/retention/delete-unused-revisions.ts';
import { insertAudit } from '../db/write/audit/insert-audit.ts';
import { LIMITS } from '../domain/limits.ts';
import { keptSince } from '../domain/slices/retention.ts';
import type { Keeper } from './keeper.ts';

type EventKeeper = Pick<
  Keeper,
  'connection' | 'contextId' | 'context' | 'retentionDays' | 'now' | 'by' | 'signal'
>;

/** Returns the number of ended alert events that are older than the context's retention. */
export async function countExpiredEvents(keeper: EventKeeper): Promise<number> {
  const { connection, contextId, retentionDays, now } = keeper;
  if (retentionDays === null) return 0;
  return count(connection, contextId, keptSince(retentionDays, now()));
}

/**
 * Deletes alert events that ended before the context's retention period, and superseded revisions
 * that are left without events. Returns the number of events deleted. Events that are firing or
 * have pending deliveries stay.
 */
export async function dropExpiredEvents(keeper: EventKeeper): Promise<number> {
  const { connection, contextId, context, retentionDays, now, by, signal } = keeper;
  if (retentionDays === null) return 0;
  const before = keptSince(retentionDays, now());
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
