import type { Connection } from '../../connection/connection.ts';
import type { ContextNode } from './select-nodes.ts';

/** Creates the node, or changes the one of that name. */
export const upsertNode = async (
  connection: Connection,
  contextId: number,
  { name, role, url, urlEnv, share }: ContextNode,
): Promise<void> => {
  await connection.query(
    `insert into nodes (context_id, name, role, url, url_env, share)
     values ($1, $2, $3, $4, $5, $6)
     on conflict (context_id, name) do update
     set role = excluded.role, url = excluded.url, url_env = excluded.url_env,
       share = excluded.share`,
    [contextId, name, role, url, urlEnv, share],
  );
};
