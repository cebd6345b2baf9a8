import type { Role } from '../../domain/callers/role.ts';
import type { Connection } from '../connection/connection.ts';
import type { ReadSession } from '../session/read-session.ts';
import { TOKEN_LIVES } from './tokens.ts';

/** A user, or a group of an identity provider. */
export type Account = { readonly name: string; readonly isGroup: boolean };

/**
 * Returns the number of a user or a group, and keeps others from changing it until the transaction
 * ends; null: there is none.
 */
export async function lockAccount(
  connection: Connection,
  { name, isGroup }: Account,
): Promise<number | null> {
  const { rows } = await connection.query<{ userId: number }>(
    `select user_id as "userId" from users where username = $1 and is_group = $2
     for no key update`,
    [name, isGroup],
  );
  return rows[0]?.userId ?? null;
}

/** Returns whether that is a change. */
export async function updateIsAdmin(
  connection: Connection,
  userId: number,
  isAdmin: boolean,
): Promise<boolean> {
  const { rowCount } = await connection.query(
    'update users set is_admin = $2 where user_id = $1 and is_admin <> $2',
    [userId, isAdmin],
  );
  return rowCount === 1;
}

/** Adds a user or a group. Returns false if there is one of that name already. */
export async function insertAccount(
  connection: Connection,
  { name, isGroup, isAdmin }: Account & { readonly isAdmin: boolean },
): Promise<boolean> {
  const { rowCount } = await connection.query(
    `insert into users (username, is_group, is_admin) values ($1, $2, $3)
     on conflict (username, is_group) do nothing`,
    [name, isGroup, isAdmin],
  );
  return rowCount === 1;
}

/** Who makes a change, and by what: a token as it is stored, a session, or both; or a proxy's word. */
export type CallerProof = {
  readonly username: string;
  readonly tokenDigest: Buffer | null;
  /** The digest of the session; null: there is none. */
  readonly session: Buffer | null;
  /** The groups that a proxy names. */
  readonly groups: readonly string[];
};

/**
 * Waits until no other administrator changes users, and keeps them from it until the transaction
 * ends: two of them must not take each other's rights at the same time.
 */
export const lockAccounts = async (connection: Connection): Promise<void> => {
  await connection.query(`select pg_advisory_xact_lock(hashtextextended('countergraph users', 0))`);
};

/** Returns whether the caller is still who they were, and an administrator. */
export async function selectIsAdmin(
  connection: Connection,
  { username, tokenDigest, session, groups }: CallerProof,
): Promise<boolean> {
  const { rows } = await connection.query<{ isAdmin: boolean }>(
    `select exists (
       select from users u left join sessions s on s.digest = $2 and s.user_id = u.user_id
       where u.username = $1 and not u.is_group
         and ($2::bytea is null or s.digest is not null)
         and ($3::bytea is null or exists (
           select from tokens t where t.user_id = u.user_id and t.digest = $3 and ${TOKEN_LIVES}))
         and (u.is_admin or exists (
           select from users a
           where a.is_group and a.is_admin and a.username = any (coalesce(s.groups, $4))))
     ) as "isAdmin"`,
    [username, session, tokenDigest, groups],
  );
  return rows[0]?.isAdmin ?? false;
}

/** A grant, and to what it is limited; null: to nothing. */
export type GrantRow = {
  readonly context: string;
  readonly role: Role;
  /** In CIDR form. */
  readonly onlyNetworks: readonly string[] | null;
  readonly onlyProbes: readonly string[] | null;
  /** As PostgreSQL writes a uuid. */
  readonly onlyGroups: readonly string[] | null;
};

/** grants: in order of the contexts' names. */
export type AccountRow = Account & {
  readonly userId: number;
  /** What an identity provider calls the user. */
  readonly shownName: string | null;
  readonly isAdmin: boolean;
  readonly grants: readonly GrantRow[];
};

/** Selects users and groups by name; names: only these, null for all. */
export const selectAccounts = (
  session: Pick<ReadSession, 'read'>,
  names: readonly string[] | null,
): Promise<AccountRow[]> =>
  session.read<AccountRow>({
    query: 'select-accounts',
    text: `
select u.user_id as "userId", u.username as name, u.shown_name as "shownName",
  u.is_group as "isGroup", u.is_admin as "isAdmin", coalesce((
    select json_agg(json_build_object('context', c.name, 'role', g.role,
      'onlyNetworks', g.only_networks, 'onlyProbes', g.only_probes, 'onlyGroups', g.only_groups)
      order by c.name)
    from grants g join contexts c using (context_id) where g.user_id = u.user_id), '[]') as grants
from users u
where $1::text[] is null or u.username = any ($1)
order by u.username, u.is_group`,
    values: [names],
  });
