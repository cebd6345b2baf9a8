import type { Connection } from '../connection/connection.ts';

/** Returns whether the database can be written to: a standby cannot. */
export async function selectIsPrimary(connection: Connection): Promise<boolean> {
  const { rows } = await connection.query<{ primary: boolean }>(
    'select not pg_is_in_recovery() as primary',
  );
  return rows[0]?.primary ?? false;
}
