import type { Connection } from '../../connection/connection.ts';

/** Deletes a user with their token and grants. Returns false if there is no user of that name. */
export async function deleteUser(connection: Connection, username: string): Promise<boolean> {
  const { rowCount } = await connection.query('delete from users where username = $1', [username]);
  return rowCount === 1;
}
