import type { AlertChange } from '../../../../domain/alerts/event-changes.ts';
import type { Connection } from '../../../connection/connection.ts';

/** Changes of events that were sent to a sink, successfully or not. */
export type ReportedChanges = {
  readonly sinkId: number;
  readonly changes: readonly { readonly eventId: string; readonly change: AlertChange }[];
};

/**
 * Marks changes as delivered; returns how many of them were still waiting. The ends of events whose
 * beginnings were delivered are due now.
 */
export async function updateDelivered(
  connection: Connection,
  { sinkId, changes }: ReportedChanges,
): Promise<number> {
  const { rows } = await connection.query<{ count: number }>(UPDATE_DELIVERED, [
    sinkId,
    changes.map(({ eventId }) => eventId),
    changes.map(({ change }) => change),
  ]);
  return rows[0]?.count ?? 0;
}

const UPDATE_DELIVERED = `
with delivered as (
  update alert_deliveries d set delivered_at = now(), attempts = attempts + 1
  from unnest($2::uuid[], $3::text[]) as sent (event_id, change)
  where d.sink_id = $1 and d.event_id = sent.event_id and d.change = sent.change
    and d.delivered_at is null and d.given_up_at is null
  returning d.event_id, d.change
), now_due as (
  update alert_deliveries e set due_at = now() from delivered b
  where e.sink_id = $1 and e.event_id = b.event_id and e.change = 'ended' and b.change = 'began'
    and e.delivered_at is null and e.given_up_at is null and e.due_at > now()
)
select count(*)::int as count from delivered`;
