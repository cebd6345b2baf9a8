import type { Connection } from '../../connection/connection.ts';

/** SQL: rows that are older than $1 days. */
const EXPIRED = 'at < now() - make_interval(days => $1)';

/** Returns whether this database can be written to, and has rows that are older than `days`. */
export async function selectHasExpiredAudit(
  connection: Connection,
  days: number,
): Promise<boolean> {
  const { rows } = await connection.query<{ isExpired: boolean }>(
    `select not pg_is_in_recovery() and exists (select from audit where ${EXPIRED}) as "isExpired"`,
    [days],
  );
  return rows[0]?.isExpired ?? false;
}

/** Deletes at most `most` rows that are older than `days`. Returns their number. */
export async function deleteExpiredAudit(
  connection: Connection,
  days: number,
  most: number,
): Promise<number> {
  const { rowCount } = await connection.query(
    `delete from audit where audit_id in (
       select audit_id from audit where ${EXPIRED} order by at limit $2)`,
    [days, most],
  );
  return rowCount ?? 0;
}
