import type { ReadSession } from '../../session/read-session.ts';
import { EVENT_COLUMNS, EVENT_TABLES, type EventRow } from './event-row.ts';

/** Selects the firing events of rules, in the order in which they began. */
export const selectFiringEvents = (
  session: Pick<ReadSession, 'read'>,
  alertIds: readonly number[],
): Promise<EventRow[]> =>
  session.read({
    query: 'select-firing-events',
    name: 'firing events',
    text: `
select ${EVENT_COLUMNS}
from alert_events e ${EVENT_TABLES}
where e.alert_id = any($1::int[]) and e.ended_at is null
order by e.started_at, e.key`,
    values: [alertIds],
  });
