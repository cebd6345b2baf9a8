import type { EpochSeconds } from '../../domain/time/interval.ts';
import type { Connection } from '../connection/connection.ts';
import type { ReadSession } from '../session/read-session.ts';

/**
 * isStandby: as reported by the node (decision 13). localDataFolder: the server's data folder, if
 * this user may see it and the server runs on the machine that asks; else null.
 */
export type ServerFactsRow = { isStandby: boolean; localDataFolder: string | null };

export async function selectServerFacts(
  session: Pick<ReadSession, 'read'>,
): Promise<ServerFactsRow> {
  const [row] = await session.read<ServerFactsRow>({
    query: 'select-server-facts',
    text: `
select pg_is_in_recovery() as "isStandby",
  case when (inet_server_addr() is null or inet_server_addr() << '127.0.0.0/8'
      or inet_server_addr() = '::1') and pg_has_role('pg_read_all_settings', 'usage')
    then current_setting('data_directory') end as "localDataFolder"`,
  });
  if (!row) throw new Error('a select without FROM gave no row');
  return row;
}

/** Selects the time by the database's clock, in whole seconds. */
export async function selectClock(connection: Connection): Promise<EpochSeconds> {
  const { rows } = await connection.query<{ seconds: number }>(
    'select floor(extract(epoch from clock_timestamp()))::float8 as seconds',
  );
  const [row] = rows;
  if (!row) throw new Error('a statement of one row gave none');
  return row.seconds;
}

/** Returns whether the database can be written to: a standby cannot. */
export async function selectIsPrimary(connection: Connection): Promise<boolean> {
  const { rows } = await connection.query<{ primary: boolean }>(
    'select not pg_is_in_recovery() as primary',
  );
  return rows[0]?.primary ?? false;
}

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
