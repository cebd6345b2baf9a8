import type { Connection } from '../../connection/connection.ts';

/** A receiver of a context's events; either url or urlEnv is set. */
export type AlertSink = {
  readonly name: string;
  readonly kind: 'webhook' | 'alertmanager';
  readonly url: string | null;
  readonly urlEnv: string | null;
  readonly secretEnv: string | null;
};

/** Selects the sinks of a context, by name. */
export async function selectSinks(connection: Connection, contextId: number): Promise<AlertSink[]> {
  const { rows } = await connection.query<AlertSink>(
    `select name, kind, url, url_env as "urlEnv", secret_env as "secretEnv"
     from alert_sinks where context_id = $1 order by name`,
    [contextId],
  );
  return rows;
}
