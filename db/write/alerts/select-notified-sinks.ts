import type { Connection } from '../../connection/connection.ts';

export type SinkKind = 'webhook' | 'alertmanager';

/** A sink of any context, with what is needed to send to it. */
export type NotifiedSink = {
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
};

export async function selectNotifiedSinks(connection: Connection): Promise<NotifiedSink[]> {
  const { rows } = await connection.query<NotifiedSink>(`
select s.sink_id as "sinkId", s.context_id as "contextId", c.name as context, s.name, s.kind,
  s.url, s.url_env as "urlEnv", s.secret_env as "secretEnv"
from alert_sinks s
join contexts c using (context_id)
order by s.sink_id`);
  return rows;
}
