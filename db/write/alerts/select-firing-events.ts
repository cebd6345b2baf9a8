import type { Connection } from '../../connection/connection.ts';
import { NOTIFIED_COLUMNS, NOTIFIED_TABLES, type NotifiedEvent } from './notified-event.ts';

/** Selects the firing events of a context, in the order in which they began. */
export async function selectEventsToDecide(
  connection: Connection,
  contextId: number,
): Promise<NotifiedEvent[]> {
  const { rows } = await connection.query<NotifiedEvent>(SELECT_FIRING_EVENTS, [contextId]);
  return rows;
}

const SELECT_FIRING_EVENTS = `
select ${NOTIFIED_COLUMNS}
from alert_events e ${NOTIFIED_TABLES}
where e.context_id = $1 and e.ended_at is null
order by e.started_at, e.key nulls last, e.event_id`;
