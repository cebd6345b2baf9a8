import type { Connection } from '../connection/connection.ts';

/**
 * SQL: whether this role may do the upkeep of the database, such as merging and dropping, here. It
 * may not on a standby, nor as a role that may only read.
 */
export const MAY_KEEP =
  "(not pg_is_in_recovery() and has_table_privilege('segments', 'insert') " +
  "and has_table_privilege('segments', 'delete'))";

/** reads: the role may only read. standby: the database is one. */
type Upkeep = 'keeps' | 'reads' | 'standby';

/** Selects whether the role of the connection can do the upkeep of the database. */
export async function selectUpkeep(connection: Connection): Promise<Upkeep> {
  const { rows } = await connection.query<{ upkeep: Upkeep }>(
    `select case when pg_is_in_recovery() then 'standby' when ${MAY_KEEP} then 'keeps'
       else 'reads' end as upkeep`,
  );
  return rows[0]?.upkeep ?? 'standby';
}
