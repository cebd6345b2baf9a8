import type { Connection } from '../../connection/connection.ts';

/** A node besides the primary; either url or urlEnv is set. */
export type ContextNode = {
  name: string;
  role: 'dr' | 'replica';
  url: string | null;
  urlEnv: string | null;
  /** Whether it may answer requests that name no node. */
  share: boolean;
};

export async function selectNodes(
  connection: Connection,
  contextId: number,
): Promise<ContextNode[]> {
  const { rows } = await connection.query<ContextNode>(
    'select name, role, url, url_env as "urlEnv", share from nodes where context_id = $1',
    [contextId],
  );
  return rows;
}
