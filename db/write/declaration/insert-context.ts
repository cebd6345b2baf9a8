import type { Connection } from '../../connection/connection.ts';

/** Creates a context; the other columns keep their defaults. Returns its context_id. */
export async function insertContext(
  connection: Connection,
  context: { name: string; sliceSeconds: number; retentionDays: number | null },
): Promise<number> {
  const { rows } = await connection.query<{ contextId: number }>(
    `insert into contexts (name, slice_seconds, retention_days) values ($1, $2, $3)
     returning context_id as "contextId"`,
    [context.name, context.sliceSeconds, context.retentionDays],
  );
  return Number(rows[0]?.contextId);
}
