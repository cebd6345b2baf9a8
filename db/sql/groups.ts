import type { Connection } from '../connection/connection.ts';

/** Like `insertUser`, for a group of an identity provider. */
export async function insertProviderGroup(
  connection: Connection,
  name: string,
): Promise<{ userId: number; created: boolean }> {
  const { rows } = await connection.query<{ userId: number; created: boolean }>(
    `insert into users (username, is_group) values ($1, true)
     on conflict (username, is_group) do update set username = excluded.username
     returning user_id as "userId", xmax = 0 as created`,
    [name],
  );
  const row = rows[0];
  if (!row) throw new Error('an insert returned no row');
  return row;
}

/** Deletes a group with its grants. Returns false if there is none of that name. */
export async function deleteGroup(connection: Connection, name: string): Promise<boolean> {
  const { rowCount } = await connection.query(
    'delete from users where username = $1 and is_group',
    [name],
  );
  return rowCount === 1;
}
