import type { Role } from '../../domain/callers/role.ts';
import type { Connection } from '../connection/connection.ts';

/** grants: in order of the contexts' names. */
type UserRow = { username: string; isAdmin: boolean; grants: Grant[] };

/** Selects all users in order of their names. */
export async function selectUsers(connection: Connection): Promise<UserRow[]> {
  const { rows } = await connection.query<UserRow>(
    `select u.username, u.is_admin as "isAdmin", coalesce((
         select json_agg(json_build_object('context', c.name, 'role', g.role) order by c.name)
         from grants g join contexts c using (context_id) where g.user_id = u.user_id
       ), '[]') as grants
     from users u order by u.username`,
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

/** A context that a user may access, and their role in it. */
export type Grant = { readonly context: string; readonly role: Role };

/** Selects the contexts granted to a user, in order of their names. */
export async function selectGrants(connection: Connection, userId: number): Promise<Grant[]> {
  const { rows } = await connection.query<Grant>(
    `select c.name as context, g.role from grants g join contexts c using (context_id)
     where g.user_id = $1 order by c.name`,
    [userId],
  );
  return rows;
}

type GrantsToInsert = {
  readonly userId: number;
  readonly contextIds: readonly number[];
  /** undefined: an existing grant keeps its role, and a new one has the role reader. */
  readonly role: Role | undefined;
};

/** isNew: the grant is new; else its role has changed. */
type InsertedGrant = { readonly contextId: number; readonly isNew: boolean };

/** Grants contexts to a user. Returns the grants that are new or whose role has changed. */
export async function insertGrants(
  connection: Connection,
  { userId, contextIds, role }: GrantsToInsert,
): Promise<InsertedGrant[]> {
  const { rows } = await connection.query<InsertedGrant>(
    `insert into grants as g (user_id, context_id, role)
     select $1, context_id, coalesce($3, 'reader') from unnest($2::int[]) as asked (context_id)
     on conflict (user_id, context_id) do update set role = excluded.role
       where $3::text is not null and g.role <> excluded.role
     returning context_id as "contextId", xmax = 0 as "isNew"`,
    [userId, contextIds, role ?? null],
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
