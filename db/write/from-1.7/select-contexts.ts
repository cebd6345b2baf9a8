import type { Connection } from '../../connection/connection.ts';

export type ContextRow = { readonly contextId: number; readonly name: string };

/**
 * Selects all contexts, in the order in which everyone who needs several of their locks takes them.
 */
export async function selectContexts(connection: Connection): Promise<ContextRow[]> {
  const { rows } = await connection.query<ContextRow>(
    'select context_id as "contextId", name from contexts order by context_id',
  );
  return rows;
}
