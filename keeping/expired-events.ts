import { deleteExpiredEvents } from '../db/write/alerts/retention/delete-expired-events.ts';
import { deleteUnusedRevisions } from '../db/write/alerts/retention/delete-unused-revisions.ts';
import { LIMITS } from '../domain/limits.ts';
import type { EpochSeconds } from '../domain/time/interval.ts';
import type { Keeper } from './keeper.ts';

/**
 * Deletes alert events that ended by `before`, and superseded revisions that are left without
 * events. Returns the number of events deleted. Events that are firing or have pending deliveries
 * stay.
 */
export async function dropExpiredEvents(
  { connection, contextId, signal }: Pick<Keeper, 'connection' | 'contextId' | 'signal'>,
  before: EpochSeconds,
): Promise<number> {
  const max = LIMITS.droppedEvents;
  let dropped = 0;
  for (;;) {
    signal?.throwIfAborted();
    const deleted = await deleteExpiredEvents(connection, { contextId, before, most: max });
    dropped += deleted;
    if (deleted < max) break;
  }
  if (dropped > 0) await deleteUnusedRevisions(connection, contextId);
  return dropped;
}
