import type { Connection } from '../../connection/connection.ts';

/** A context, and the number of days for which it keeps its data. */
export type Retention = { contextId: number; name: string; retentionDays: number };

/** Selects the contexts with slices that ended before their retention period; none on a standby. */
export async function selectRetentions(connection: Connection, now: number): Promise<Retention[]> {
  const { rows } = await connection.query<Retention>(
    `select context_id as "contextId", name, retention_days as "retentionDays" from contexts c
     where not pg_is_in_recovery() and exists (select from slices s
       where s.context_id = c.context_id and s.ends_at <= $1 - 86400::bigint * c.retention_days)
     order by context_id`,
    [now],
  );
  return rows;
}
