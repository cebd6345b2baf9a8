import type { AuditDetail } from '../../../domain/audit/audit-entry.ts';
import type { Connection } from '../../connection/connection.ts';

/** A row of the audit. user, from: null for failed sign-ins with many names or addresses. */
export type AuditRow = {
  readonly id: string;
  readonly at: Date;
  readonly user: string | null;
  readonly from: string | null;
  readonly action: string;
  readonly object: string;
  readonly detail: AuditDetail;
};

/** What SELECT or RETURNING of `audit` needs for an `AuditRow`. */
export const AUDIT_ROW = `audit_id::text as id, at, username as "user", came_from as "from", action,
  object, detail`;

export type AuditSelection = {
  /** Epoch seconds; null: from the first row on. */
  readonly since: number | null;
  readonly user: string | null;
  /** The last row that is known already; null: none. */
  readonly after: AuditRow | null;
  readonly most: number;
};

/** Selects rows of the audit, oldest first. */
export async function selectAudit(
  connection: Connection,
  { since, user, after, most }: AuditSelection,
): Promise<AuditRow[]> {
  const { rows } = await connection.query<AuditRow>(
    `select ${AUDIT_ROW} from audit
     where ($1::float8 is null or at >= to_timestamp($1)) and ($2::text is null or username = $2)
       and ($3::bigint is null
         or (at, audit_id) > ((select at from audit where audit_id = $3), $3))
     order by at, audit_id limit $4`,
    [since, user, after?.id ?? null, most],
  );
  return rows;
}
