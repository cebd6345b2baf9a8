import type { Connection } from '../../../connection/connection.ts';
import type { SinkKind } from '../select-notified-sinks.ts';

/** How many deliveries wait for the sinks of a kind. */
export type WaitingDeliveries = { readonly kind: SinkKind; readonly waiting: number };

/** Counts the waiting deliveries by kind of sink, at most so many of each sink. */
export async function countWaitingDeliveries(
  connection: Connection,
  atMost: number,
): Promise<WaitingDeliveries[]> {
  const { rows } = await connection.query<WaitingDeliveries>(
    `
select s.kind, sum(w.count)::int as waiting
from alert_sinks s
cross join lateral (
  select count(*) from (
    select from alert_deliveries d
    where d.sink_id = s.sink_id and d.delivered_at is null and d.given_up_at is null
    limit $1
  ) counted
) w
where w.count > 0
group by s.kind`,
    [atMost],
  );
  return rows;
}
