import type { Connection } from '../../connection/connection.ts';

/** A context's numbers: the version of its data, and the layout of the data in segments. */
export type ContextNumbers = { readonly version: number; readonly layout: number };

/**
 * Raises the version of a context's data, once per transaction. Its row stays locked until the end.
 */
export const raiseVersion = (connection: Connection, contextId: number) =>
  connection.query('select raise_context_version($1)', [contextId]);

/**
 * Raises the layout number of a context. Its row stays locked until the end of the transaction, so
 * that numbers are committed in order. Null: the context is gone.
 */
export async function raiseLayout(
  connection: Connection,
  contextId: number,
): Promise<ContextNumbers | null> {
  const { rows } = await connection.query<ContextNumbers>(
    `update context_versions set layout = layout + 1 where context_id = $1
     returning version::float8 as version, layout::float8 as layout`,
    [contextId],
  );
  return rows[0] ?? null;
}
