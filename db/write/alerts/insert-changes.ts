import type { EventChange } from '../../../domain/alerts/event-changes.ts';
import { ALERT_CHANGE_LOCK } from '../../advisory-locks.ts';
import type { Connection } from '../../connection/connection.ts';

/**
 * Takes the lock for numbering the changes of a context. Each transaction that may insert changes
 * calls this before it locks rows of alerts: a transaction may change several rules, and one that
 * waits for a rule must not hold the counter.
 */
export const lockChanges = async (connection: Connection, contextId: number): Promise<void> => {
  await connection.query('select pg_advisory_xact_lock($1, $2)', [ALERT_CHANGE_LOCK, contextId]);
};

/** Inserts changes of a context's events, numbered in this order. */
export async function insertChanges(
  connection: Connection,
  contextId: number,
  changes: readonly EventChange[],
): Promise<void> {
  if (changes.length === 0) return;
  await connection.query(INSERT_CHANGES, [
    contextId,
    changes.map(({ eventId }) => eventId),
    changes.map(({ change }) => change),
  ]);
}

const INSERT_CHANGES = `
with counter as (
  insert into alert_change_counters as known (context_id, last, nonce, nonce_before)
  values ($1, cardinality($2::uuid[]), draw_nonce(), 0)
  on conflict (context_id) do update
  set last = known.last + excluded.last, nonce = excluded.nonce, nonce_before = known.nonce
  returning last, nonce, nonce_before
)
insert into alert_changes (context_id, number, nonce, nonce_before, event_id, change)
select $1, counter.last - cardinality($2::uuid[]) + c.place, counter.nonce, counter.nonce_before,
  c.event_id, c.change
from counter, unnest($2::uuid[], $3::text[]) with ordinality as c (event_id, change, place)`;
