import type { AlertChange } from '../../../domain/alerts/event-changes.ts';
import type { ReadSession } from '../../session/read-session.ts';
import { EVENT_COLUMNS, type EventRow } from './event-row.ts';
import type { ChangeCursor } from './select-change-counter.ts';

export type ChangeRow = EventRow & ChangeCursor & { readonly change: AlertChange };

export type ChangesAfter = {
  readonly contextId: number;
  readonly after: number;
  readonly limit: number;
};

/**
 * Selects the first changes of a context's alerts after a given one, in order, with the current
 * state of their events. Changes of disabled groups are included, so that the cursor gets past
 * them.
 */
export const selectChanges = (
  session: Pick<ReadSession, 'read'>,
  { contextId, after, limit }: ChangesAfter,
): Promise<ChangeRow[]> =>
  session.read({
    query: 'select-alert-changes',
    name: 'alert changes',
    text: `
select c.number::float8 as number, c.nonce::text, c.change, ${EVENT_COLUMNS}
from (
  select number, nonce, change, event_id from alert_changes
  where context_id = $1 and number > $2::bigint order by number limit $3
) c
join alert_events e on e.event_id = c.event_id
join alerts a on a.alert_id = e.alert_id
order by c.number`,
    values: [contextId, after, limit],
  });
