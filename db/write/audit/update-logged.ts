import { SIGN_IN_FAILED } from '../../../domain/audit/audit-entry.ts';
import type { Connection } from '../../connection/connection.ts';
import { AUDIT_ROW, type AuditRow } from './select-audit.ts';

/**
 * SQL: rows that are to be logged. Failed sign-ins are once their minute is over, with their final
 * number.
 */
const DUE = `not is_logged and (action <> '${SIGN_IN_FAILED}' or at < now() - interval '65 s')`;

/** Returns whether this database can be written to, and has rows to log. */
export async function selectHasUnlogged(connection: Connection): Promise<boolean> {
  const { rows } = await connection.query<{ isDue: boolean }>(
    `select not pg_is_in_recovery() and exists (select from audit where ${DUE}) as "isDue"`,
  );
  return rows[0]?.isDue ?? false;
}

/**
 * Marks rows of the audit as logged, and returns them, oldest first. Each row is returned to one
 * server, whatever order they were committed in.
 */
export async function updateLogged(connection: Connection, most: number): Promise<AuditRow[]> {
  const { rows } = await connection.query<AuditRow>(
    `with logged as (
       update audit set is_logged = true
       where audit_id in (
         select audit_id from audit where ${DUE} order by audit_id limit $1
         for update skip locked)
       returning *
     )
     select ${AUDIT_ROW} from logged order by at, audit_id`,
    [most],
  );
  return rows;
}
