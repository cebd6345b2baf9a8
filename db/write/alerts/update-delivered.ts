import type { AlertChange } from '../../../domain/alerts/event-changes.ts';
import type { Connection } from '../../connection/connection.ts';

/** Changes of events that were sent to a sink, successfully or not. */
export type ToldChanges = {
  readonly sinkId: number;
  readonly changes: readonly { readonly eventId: string; readonly change: AlertChange }[];
};

/** Marks changes as delivered; returns how many of them were still waiting. */
export async function updateDelivered(
  connection: Connection,
  { sinkId, changes }: ToldChanges,
): Promise<number> {
  const { rowCount } = await connection.query(
    `update alert_deliveries d set delivered_at = now(), attempts = attempts + 1
     from unnest($2::uuid[], $3::text[]) as told (event_id, change)
     where d.sink_id = $1 and d.event_id = told.event_id and d.change = told.change
       and d.delivered_at is null and d.given_up_at is null`,
    [sinkId, changes.map(({ eventId }) => eventId), changes.map(({ change }) => change)],
  );
  return rowCount ?? 0;
}
