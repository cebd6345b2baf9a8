import type { Connection } from '../../connection/connection.ts';
import type { AlertSink } from './select-sinks.ts';

/** Inserts a sink, or changes the one of that name, which keeps its deliveries. */
export const upsertSink = async (
  connection: Connection,
  contextId: number,
  { name, kind, url, urlEnv, secretEnv }: AlertSink,
): Promise<void> => {
  await connection.query(
    `insert into alert_sinks (context_id, name, kind, url, url_env, secret_env)
     values ($1, $2, $3, $4, $5, $6)
     on conflict (context_id, name) do update
     set kind = excluded.kind, url = excluded.url, url_env = excluded.url_env,
       secret_env = excluded.secret_env`,
    [contextId, name, kind, url, urlEnv, secretEnv],
  );
};
