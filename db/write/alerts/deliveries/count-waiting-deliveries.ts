import type { Connection } from '../../../connection/connection.ts';
import type { SinkKind } from '../select-notified-sinks.ts';

/** How many deliveries wait for the sinks of a kind. */
export type WaitingDeliveries = { readonly kind: SinkKind; readonly waiting: number };

/** Counts the waiting deliveries by kind of sink. Reads all of them. */
export async function countWaitingDeliveries(connection: Connection): Promise<WaitingDeliveries[]> {
  const { rows } = await connection.query<WaitingDeliveries>(`
select s.kind, sum(w.count)::int as waiting
from (
  select sink_id, count(*) from alert_deliveries
  where delivered_at is null and given_up_at is null group by sink_id
) w
join alert_sinks s using (sink_id)
group by s.kind`);
  return rows;
}
