import type { Connection } from '../../connection/connection.ts';
import { insertChanges, lockChanges } from './insert-changes.ts';
import { insertDeliveries } from './insert-deliveries.ts';
import type { StoredAlert } from './select-alerts.ts';

/**
 * Supersedes a revision of a rule, and ends its events with the last window that it decided. The
 * revision is kept while it has events, and deleted immediately if it has none.
 */
export async function supersedeAlert(
  connection: Connection,
  { alertId, contextId }: Pick<StoredAlert, 'alertId' | 'contextId'>,
): Promise<void> {
  await lockChanges(connection, contextId);
  // This locks the row: a decision of its windows is either complete, or finds the revision
  // superseded.
  await connection.query('update alerts set superseded_at = now() where alert_id = $1', [alertId]);
  const { rows } = await connection.query<{ eventId: string }>(
    `update alert_events e set ended_at = greatest(e.started_at, a.evaluated_to)
     from alerts a where a.alert_id = $1 and e.alert_id = a.alert_id and e.ended_at is null
     returning e.event_id as "eventId"`,
    [alertId],
  );
  const ended = rows.map(({ eventId }) => eventId);
  await insertChanges(
    connection,
    contextId,
    ended.map((eventId) => ({ eventId, change: 'ended' })),
  );
  await insertDeliveries(connection, contextId, { began: [], ended });
  await connection.query(
    `delete from alerts a where a.alert_id = $1
       and not exists (select from alert_events e where e.alert_id = a.alert_id)`,
    [alertId],
  );
}
