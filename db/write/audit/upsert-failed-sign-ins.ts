import { SIGN_IN_FAILED } from '../../../domain/audit/audit-entry.ts';
import { LIMITS } from '../../../domain/limits.ts';
import type { Connection } from '../../connection/connection.ts';

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
