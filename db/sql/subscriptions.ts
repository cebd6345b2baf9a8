import type { GrantLimit } from '../../domain/callers/grant-limit.ts';
import type { Deadline, ReadSession } from '../session/read-session.ts';
import { LIMIT, type PageClaim } from './identity.ts';
import { TOKEN_LIVES } from './tokens.ts';
import { HISTORY, type VersionedRow, versionsCheck } from './versions.ts';

/** Selects the versions of the contexts, leaving out those that do not exist. One statement. */
export const selectWatchedVersions = (
  session: Pick<ReadSession, 'readAlone'>,
  contextIds: readonly number[],
  deadline: Deadline,
): Promise<VersionedRow[]> =>
  session.readAlone<VersionedRow>(
    {
      query: 'select-watched-versions',
      name: 'watched versions',
      text: `
select v.context_id as "contextId", v.version::float8 as version, v.layout::float8 as layout,
  t.version::float8 as "textVersion", v.nonce::float8 as nonce, t.nonce::float8 as "textNonce",
  ${HISTORY} as history
from context_versions v join text_versions t using (context_id)
where v.context_id = any($1::int[])`,
      values: [contextIds],
    },
    versionsCheck,
    deadline,
  );

/** newest: number and nonce of the newest change, zeros if there was none: `17 4711`. */
type NewestChange = { readonly contextId: number; readonly newest: string };

/** Selects the newest changes of the alerts of contexts. One statement, no transaction. */
export const selectWatchedAlerts = (
  session: Pick<ReadSession, 'readAlone'>,
  contextIds: readonly number[],
  deadline: Deadline,
): Promise<NewestChange[]> =>
  session.readAlone<NewestChange>(
    {
      query: 'select-watched-alerts',
      name: 'watched alerts',
      text: `
select asked.context_id as "contextId", coalesce(c.last, 0) || ' ' || coalesce(c.nonce, 0) as newest
from unnest($1::int[]) as asked (context_id)
left join alert_change_counters c using (context_id)`,
      values: [contextIds],
    },
    () => NOTHING_FOLLOWS,
    deadline,
  );

/** A user who follows a context, and by what they were identified. */
type Right = {
  readonly username: string;
  readonly context: string;
  /** The token, as it is stored; null in a session that began without one. */
  readonly tokenDigest: Buffer | null;
  /** null: they send the token. */
  readonly page: PageClaim | null;
};

/** isSignedIn: whether the user still has the token, and the session if there is one. */
export type RightRow = {
  readonly isSignedIn: boolean;
  /** Those of all grants of the context; empty: there is none. */
  readonly limits: readonly GrantLimit[];
};

/**
 * Selects the current state of each right, in the given order. One statement for all, no
 * transaction.
 */
export const selectRights = (
  session: Pick<ReadSession, 'readAlone'>,
  rights: readonly Right[],
  deadline: Deadline,
): Promise<RightRow[]> =>
  session.readAlone<RightRow>(
    {
      query: 'select-rights',
      name: 'rights',
      text: `
select case when asked.session is not null and s.digest is null then false
  when s.issuer is not null then true
  when asked.groups is not null then u.user_id is not null
  else exists (
    select from tokens t
    where t.user_id = u.user_id and t.digest = asked.token and ${TOKEN_LIVES})
end as "isSignedIn", coalesce((
  select json_agg(${LIMIT}) from grants g join contexts c using (context_id)
  where c.name = asked.context and g.user_id = any (array(
    select u.user_id union all
    select user_id from users where is_group and username = any (coalesce(
      s.groups, array(select json_array_elements_text(asked.groups::json))))))), '[]') as limits
from unnest($1::text[], $2::text[], $3::bytea[], $4::bytea[], $5::text[], $6::text[])
  with ordinality as asked (username, context, token, session, issuer, groups, place)
left join users u on u.username = asked.username and not u.is_group
left join sessions s on s.digest = asked.session and s.user_id = u.user_id and s.ends_at > now()
  and (s.issuer is null
    or (s.issuer = asked.issuer and u.issuer = s.issuer and u.subject = s.subject))
order by asked.place`,
      values: [
        rights.map(({ username }) => username),
        rights.map(({ context }) => context),
        rights.map(({ tokenDigest }) => tokenDigest),
        rights.map(({ page }) => (page && 'session' in page ? page.session : null)),
        rights.map(({ page }) => (page && 'session' in page ? page.issuer : null)),
        rights.map(({ page }) => (page && 'vouched' in page ? JSON.stringify(page.groups) : null)),
      ],
    },
    () => NOTHING_FOLLOWS,
    deadline,
  );

/** The check for a session that runs no other statement. */
const NOTHING_FOLLOWS = { text: 'select 1', isSame: () => true, seen: new Map() };
