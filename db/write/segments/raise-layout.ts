import type { Connection } from '../../connection/connection.ts';

/** A context's numbers: of its data, and of how they lie in segments. */
export type ContextNumbers = { readonly version: number; readonly layout: number };

/** Raises the number of a context's data, once a transaction; its row stays locked to the end. */
export const raiseVersion = (connection: Connection, contextId: number) =>
  connection.query('select raise_context_version($1)', [contextId]);

/**
 * Raises the layout number of a context, whose row stays locked until the end of the transaction:
 * so numbers are committed in their order. Null: the context is gone.
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
