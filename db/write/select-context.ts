import type { Connection } from '../connection/connection.ts';

export type ContextRow = { contextId: number; sliceSeconds: number; retentionDays: number | null };

/** Selects the context of that name, or null. */
export async function selectContext(
  connection: Connection,
  name: string,
): Promise<ContextRow | null> {
  const { rows } = await connection.query<ContextRow>(
    `select context_id as "contextId", slice_seconds as "sliceSeconds",
       retention_days as "retentionDays"
     from contexts where name = $1`,
    [name],
  );
  return rows[0] ?? null;
}
