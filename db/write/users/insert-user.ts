import type { Connection } from '../../connection/connection.ts';

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
     on conflict (username) do update set username = excluded.username
     returning user_id as "userId", xmax = 0 as created`,
    [username],
  );
  const row = rows[0];
  if (!row) throw new Error('an insert returned no row');
  return row;
}
