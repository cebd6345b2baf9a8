import type { Connection } from '../connection/connection.ts';

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
