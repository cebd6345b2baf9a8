import type { Connection } from '../../connection/connection.ts';

/** Ids of events of a context that began or ended in this transaction. */
export type EventChanges = { readonly began: readonly string[]; readonly ended: readonly string[] };

/**
 * Inserts deliveries for all sinks of the context. Ends are only delivered to sinks that have the
 * delivery of the beginning, and to Alertmanagers, because a new one is also sent the firing
 * events. An end is due no earlier than its beginning. Listeners are notified with the commit.
 */
export async function insertDeliveries(
  connection: Connection,
  contextId: number,
  { began, ended }: EventChanges,
): Promise<void> {
  if (began.length === 0 && ended.length === 0) return;
  await connection.query(
    `with new_ones as (
       insert into alert_deliveries (event_id, sink_id, change)
       select e.event_id, s.sink_id, 'began'
       from unnest($2::uuid[]) as e(event_id), alert_sinks s where s.context_id = $1
       returning event_id, sink_id
     )
     insert into alert_deliveries (event_id, sink_id, change, due_at)
     select e.event_id, s.sink_id, 'ended', greatest(now(), (
       select d.due_at from alert_deliveries d
       where (d.event_id, d.sink_id, d.change) = (e.event_id, s.sink_id, 'began')
         and d.delivered_at is null and d.given_up_at is null))
     from unnest($3::uuid[]) as e(event_id), alert_sinks s
     where s.context_id = $1 and (s.kind = 'alertmanager'
       or exists (select from new_ones n where (n.event_id, n.sink_id) = (e.event_id, s.sink_id))
       or exists (select from alert_deliveries d
         where (d.event_id, d.sink_id, d.change) = (e.event_id, s.sink_id, 'began')))`,
    [contextId, began, ended],
  );
  await connection.query("select pg_notify('countergraph_alerts', $1::int::text)", [contextId]);
}
