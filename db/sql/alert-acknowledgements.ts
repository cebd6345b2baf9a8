import type { Connection } from '../connection/connection.ts';
import { insertChanges, lockChanges } from './alert-decisions.ts';

type EventToAcknowledge = {
  readonly contextId: number;
  readonly eventId: string;
  /** The name of the user. */
  readonly by: string;
  readonly note: string | null;
};

/**
 * Notes who looks after an event, in place of an earlier note, and inserts the change for
 * subscribers. Returns whether anything is different; null: there is no such event any more.
 */
export async function acknowledgeEvent(
  connection: Connection,
  { contextId, eventId, by, note }: EventToAcknowledge,
): Promise<boolean | null> {
  await lockChanges(connection, contextId);
  const { rows } = await connection.query<{ isDifferent: boolean }>(
    `select (acknowledged_by, note) is distinct from ($3::text, $4::text) as "isDifferent"
     from alert_events where event_id = $1 and context_id = $2 for update`,
    [eventId, contextId, by, note],
  );
  const [found] = rows;
  if (!found?.isDifferent) return found ? false : null;
  await connection.query(
    `update alert_events set acknowledged_at = now(), acknowledged_by = $2, note = $3
     where event_id = $1`,
    [eventId, by, note],
  );
  await insertChanges(connection, contextId, [{ eventId, change: 'acknowledged' }]);
  return true;
}
