import type { Connection } from '../../connection/connection.ts';

/** Removes a user with token and grants; false when there is none of that name. */
export async function deleteUser(connection: Connection, username: string): Promise<boolean> {
  const { rowCount } = await connection.query('delete from users where username = $1', [username]);
  return rowCount === 1;
}
