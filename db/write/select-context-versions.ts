import type { Connection } from './connection.ts';

export type ContextVersion = { contextId: number; name: string; version: number };

/** Of every context; none on a standby, which nobody writes to. */
export async function selectContextVersions(connection: Connection): Promise<ContextVersion[]> {
  const { rows } = await connection.query<ContextVersion>(
    `select context_id as "contextId", c.name, v.version::float8 as version
     from contexts c join context_versions v using (context_id)
     where not pg_is_in_recovery() order by context_id`,
  );
  return rows;
}
