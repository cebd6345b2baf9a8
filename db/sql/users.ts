import type { GrantLimit } from '../../domain/callers/grant-limit.ts';
import type { Role } from '../../domain/callers/role.ts';
import type { Connection } from '../connection/connection.ts';

/** issuer, subject, shownName: see `Person`. grants: in order of the contexts' names. */
type UserRow = {
  username: string;
  isGroup: boolean;
  isAdmin: boolean;
  issuer: string | null;
  subject: string | null;
  shownName: string | null;
  grants: Grant[];
};

/**
 * A context that a user may access, their role in it, and what of it the grant is limited to; not
 * given: all.
 */
export type Grant = {
  readonly context: string;
  readonly role: Role;
  /** In CIDR form. */
  readonly onlyNetworks?: readonly string[];
  readonly onlyProbes?: readonly string[];
  /** Without a name if there is no such group any more. */
  readonly onlyGroups?: readonly { readonly guid: string; readonly name?: string }[];
};

const GRANT = `json_strip_nulls(json_build_object('context', c.name, 'role', g.role,
  'onlyNetworks', g.only_networks, 'onlyProbes', g.only_probes, 'onlyGroups', (
    select json_agg(json_build_object('guid', '{' || upper(o.guid::text) || '}', 'name', k.name))
    from unnest(g.only_groups) as o (guid)
    left join counter_groups k on k.guid = o.guid and k.context_id = c.context_id)))`;

/** Selects all users in order of their names, and then all groups. */
export async function selectUsers(connection: Connection): Promise<UserRow[]> {
  const { rows } = await connection.query<UserRow>(
    `select u.username, u.is_group as "isGroup", u.is_admin as "isAdmin", u.issuer, u.subject,
       u.shown_name as "shownName", coalesce((
         select json_agg(${GRANT} order by c.name)
         from grants g join contexts c using (context_id) where g.user_id = u.user_id
       ), '[]') as grants
     from users u order by u.is_group, u.username`,
  );
  return rows;
}

export async function selectUserId(
  connection: Connection,
  username: string,
): Promise<number | null> {
  const { rows } = await connection.query<{ userId: number }>(
    'select user_id as "userId" from users where username = $1 and not is_group',
    [username],
  );
  return rows[0]?.userId ?? null;
}

/** Returns the same, and keeps others from changing the user until the transaction ends. */
export async function lockUser(connection: Connection, username: string): Promise<number | null> {
  const { rows } = await connection.query<{ userId: number }>(
    `select user_id as "userId" from users where username = $1 and not is_group
     for no key update`,
    [username],
  );
  return rows[0]?.userId ?? null;
}

/**
 * Returns the user of that name, and creates it if there is none; `created` says whether it did.
 */
export async function insertUser(
  connection: Connection,
  username: string,
): Promise<{ userId: number; created: boolean }> {
  // An update that changes nothing returns an existing row, and locks it.
  const { rows } = await connection.query<{ userId: number; created: boolean }>(
    `insert into users (username) values ($1)
     on conflict (username, is_group) do update set username = excluded.username
     returning user_id as "userId", xmax = 0 as created`,
    [username],
  );
  const row = rows[0];
  if (!row) throw new Error('an insert returned no row');
  return row;
}

/** Deletes a user with their token and grants. Returns false if there is no user of that name. */
export async function deleteUser(connection: Connection, username: string): Promise<boolean> {
  const { rowCount } = await connection.query(
    'delete from users where username = $1 and not is_group',
    [username],
  );
  return rowCount === 1;
}

/** Selects the contexts granted to a user, in order of their names. */
export async function selectGrants(connection: Connection, userId: number): Promise<Grant[]> {
  const { rows } = await connection.query<{ grant: Grant }>(
    `select ${GRANT} as grant from grants g join contexts c using (context_id)
     where g.user_id = $1 order by c.name`,
    [userId],
  );
  return rows.map((row) => row.grant);
}

type GrantToInsert = {
  readonly userId: number;
  readonly contextId: number;
  /** undefined: an existing grant keeps its role, and a new one has the role reader. */
  readonly role: Role | undefined;
  readonly limit: GrantLimit;
};

/** Grants a context to a user, in place of an earlier grant of it. */
export async function upsertGrant(
  connection: Connection,
  { userId, contextId, role, limit: { networks, probes, groups } }: GrantToInsert,
): Promise<void> {
  await connection.query(
    `insert into grants as g (user_id, context_id, role, only_networks, only_probes, only_groups)
     values ($1, $2, coalesce($3, 'reader'), $4::cidr[], $5::text[], $6::uuid[])
     on conflict (user_id, context_id) do update set role = coalesce($3, g.role),
       only_networks = excluded.only_networks, only_probes = excluded.only_probes,
       only_groups = excluded.only_groups`,
    [userId, contextId, role ?? null, networks, probes, groups],
  );
}

/** Selects the counter groups of a context by name. guid: as PostgreSQL writes a uuid. */
export async function selectGroupNames(
  connection: Connection,
  contextId: number,
): Promise<{ guid: string; name: string }[]> {
  const { rows } = await connection.query<{ guid: string; name: string }>(
    'select guid, name from counter_groups where context_id = $1 order by name, guid',
    [contextId],
  );
  return rows;
}

/** Revokes a context from a user. Returns false if it was not granted. */
export async function deleteGrant(
  connection: Connection,
  userId: number,
  contextId: number,
): Promise<boolean> {
  const { rowCount } = await connection.query(
    'delete from grants where user_id = $1 and context_id = $2',
    [userId, contextId],
  );
  return rowCount === 1;
}
