import type { ReadSession } from '../../session/read-session.ts';
import { EVENT_COLUMNS, EVENT_TABLES, type EventRow } from './event-row.ts';

/** Selects events by their UUIDs. */
export const selectEvents = (
  session: Pick<ReadSession, 'read'>,
  eventIds: readonly string[],
): Promise<EventRow[]> =>
  session.read({
    query: 'select-alert-events',
    name: 'alert events',
    text: `
select ${EVENT_COLUMNS}
from alert_events e ${EVENT_TABLES}
where e.event_id = any($1::uuid[])`,
    values: [eventIds],
  });
