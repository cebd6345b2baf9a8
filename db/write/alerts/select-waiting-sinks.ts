import type { Connection } from '../../connection/connection.ts';

export type SinkKind = 'webhook' | 'alertmanager';

/** A sink, and how many notifications are still to be sent to it. */
export type WaitingSink = {
  readonly sinkId: number;
  readonly contextId: number;
  readonly context: string;
  readonly name: string;
  readonly kind: SinkKind;
  /** Its address, or the variable that holds it. */
  readonly url: string | null;
  readonly urlEnv: string | null;
  /** The variable that holds the secret to sign with; null: nothing is signed. */
  readonly secretEnv: string | null;
  readonly waiting: number;
};

export async function selectWaitingSinks(connection: Connection): Promise<WaitingSink[]> {
  const { rows } = await connection.query<WaitingSink>(`
select s.sink_id as "sinkId", s.context_id as "contextId", c.name as context, s.name, s.kind,
  s.url, s.url_env as "urlEnv", s.secret_env as "secretEnv", coalesce(w.count, 0)::int as waiting
from alert_sinks s
join contexts c using (context_id)
left join (
  select sink_id, count(*) from alert_deliveries
  where delivered_at is null and given_up_at is null group by sink_id
) w using (sink_id)
order by s.sink_id`);
  return rows;
}
