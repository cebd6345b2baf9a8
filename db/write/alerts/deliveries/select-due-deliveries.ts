import type { AlertChange } from '../../../../domain/alerts/event-changes.ts';
import type { Connection } from '../../../connection/connection.ts';
import { NOTIFIED_COLUMNS, NOTIFIED_TABLES, type NotifiedEvent } from '../notified-event.ts';

/** A change of an event to be delivered to a sink. */
export type DueDelivery = {
  readonly sinkId: number;
  readonly change: AlertChange;
  readonly event: NotifiedEvent;
};

/** The maximum number of deliveries to select for a sink. */
export type Wanted = { readonly sinkId: number; readonly most: number };

/**
 * Selects the deliveries that are due to these sinks, the longest due first. The end of an event is
 * not due before its beginning was delivered or given up.
 */
export async function selectDueDeliveries(
  connection: Connection,
  wanted: readonly Wanted[],
): Promise<DueDelivery[]> {
  const { rows } = await connection.query<NotifiedEvent & Omit<DueDelivery, 'event'>>(
    SELECT_DUE_DELIVERIES,
    [
      wanted.map(({ sinkId }) => sinkId),
      wanted.map(({ most }) => most),
      Math.max(0, ...wanted.map(({ most }) => most)),
    ],
  );
  return rows.map(({ sinkId, change, ...event }) => ({ sinkId, change, event }));
}

// Reads the index `alert_deliveries_due` in its order. An end is due no earlier than its beginning,
// so at most as many ends are skipped as deliveries are selected. The inner limit tells the planner
// how few rows are read: it would expect a tenth of the backlog for the limit of each sink. The
// beginning is looked up for each end: `not exists` could be planned as a hash of all beginnings.
const SELECT_DUE_DELIVERIES = `
select w.sink_id as "sinkId", d.change, ${NOTIFIED_COLUMNS}
from unnest($1::int[], $2::int[]) as w (sink_id, most)
cross join lateral (
  select d.event_id, d.change, d.due_at from (
    select d.event_id, d.change, d.due_at from alert_deliveries d
    where d.sink_id = w.sink_id and d.delivered_at is null and d.given_up_at is null
      and d.due_at <= now() and (d.change = 'began' or (
        select b.delivered_at is not null or b.given_up_at is not null from alert_deliveries b
        where b.event_id = d.event_id and b.sink_id = d.sink_id and b.change = 'began'
      ) is not false)
    order by d.due_at, d.event_id, d.change
    limit $3
  ) d
  order by d.due_at, d.event_id, d.change
  limit w.most
) d
join alert_events e on e.event_id = d.event_id ${NOTIFIED_TABLES}
order by d.due_at, e.started_at, d.event_id`;
