import { hostname, userInfo } from 'node:os';
import {
  type AuditActor,
  type AuditDetail,
  type AuditEntry,
  SIGN_IN_FAILED,
} from '../../domain/audit/audit-entry.ts';
import { LIMITS } from '../../domain/limits.ts';
import type { Connection } from '../connection/connection.ts';
import type { ReadSession } from '../session/read-session.ts';

/** Returns who runs this process, and on which machine. */
export const commandActor = (): AuditActor => ({ user: userName(), from: hostname() || 'local' });

/** Returns who the log and the audit name for what a server does by itself. */
export const serverActor = (): AuditActor => ({ user: '(server)', from: hostname() || 'local' });

function userName(): string {
  try {
    return userInfo().username;
  } catch {
    // In a container, the number of the user often has no name.
    return `uid ${process.getuid?.() ?? 'unknown'}`;
  }
}

/**
 * Records changes, in the transaction that makes them. by: whose change a server makes, which logs
 * it itself; left out: that of the user who runs this command, which the next server logs.
 * isLogged: false if a server leaves the log to its check of the audit.
 */
export async function insertAudit(
  connection: Connection,
  entries: readonly AuditEntry[],
  by?: AuditActor,
  isLogged: boolean = by !== undefined,
): Promise<void> {
  if (entries.length === 0) return;
  const { user, from } = by ?? commandActor();
  await connection.query(
    `insert into audit (username, came_from, action, object, detail, is_logged)
     select $1, $2, action, object, detail::jsonb, $3
     from unnest($4::text[], $5::text[], $6::text[]) as entries (action, object, detail)`,
    [
      user,
      from,
      isLogged,
      entries.map(({ action }) => action),
      entries.map(({ object }) => object),
      entries.map(({ detail = {} }) => JSON.stringify(detail)),
    ],
  );
}

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
const AUDIT_ROW = `audit_id::text as id, at, username as "user", came_from as "from", action,
  object, detail`;

type AuditSelection = {
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

type NewestAudit = Pick<AuditSelection, 'since' | 'user' | 'most'>;

/** Selects rows of the audit, newest first. */
export const selectNewestAudit = (
  session: Pick<ReadSession, 'read'>,
  { since, user, most }: NewestAudit,
): Promise<AuditRow[]> =>
  session.read<AuditRow>({
    query: 'select-newest-audit',
    text: `
select ${AUDIT_ROW} from audit
where ($1::float8 is null or at >= to_timestamp($1)) and ($2::text is null or username = $2)
order by at desc, audit_id desc limit $3`,
    values: [since, user, most],
  });

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

/** Sign-ins with the same name from the same address that failed. null: several. */
export type FailedSignIns = {
  readonly username: string | null;
  readonly from: string | null;
  readonly count: number;
};

type FailedSignInsOfMinute = {
  readonly failed: readonly FailedSignIns[];
  /** How long ago the first of them was. */
  readonly ageSeconds: number;
};

/**
 * Counts failed sign-ins in the row of their minute, name and address. A token that was typed where
 * the name belongs must not be kept: a name that is long, and no user's, is withheld, as is one
 * that is the token of a user.
 */
export async function upsertFailedSignIns(
  connection: Connection,
  { failed, ageSeconds }: FailedSignInsOfMinute,
): Promise<void> {
  await connection.query(
    `insert into audit as a (at, username, came_from, action, object, detail)
     select date_trunc('minute', now() - make_interval(secs => $1)), username, came_from,
       '${SIGN_IN_FAILED}',
       case when came_from is null then 'other names and addresses'
         else coalesce(username, 'other names') end,
       jsonb_build_object('count', sum(number))
     from (
       select case when (length(name) >= $2 and not exists (
             select from users u where u.username = f.name))
           or exists (select from tokens where digest = sha256(convert_to(f.name, 'UTF8')))
         then '(withheld)' else name end as username, came_from, number
       from unnest($3::text[], $4::text[], $5::bigint[]) as f (name, came_from, number)
     ) shown
     group by username, came_from
     on conflict (at, coalesce(username, ''), coalesce(came_from, ''))
       where action = '${SIGN_IN_FAILED}'
     do update set detail = jsonb_build_object('count',
       (a.detail ->> 'count')::bigint + (excluded.detail ->> 'count')::bigint)`,
    [
      ageSeconds,
      LIMITS.chosenTokenLength,
      failed.map(({ username }) => username),
      failed.map(({ from }) => from),
      failed.map(({ count }) => count),
    ],
  );
}

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
