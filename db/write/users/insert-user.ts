import type { Connection } from '../../connection/connection.ts';

/** The user of that name, made where there is none; created says whether it was. */
export async function insertUser(
  connection: Connection,
  username: string,
): Promise<{ userId: number; created: boolean }> {
  // An update that changes nothing makes the row that is there come back, and locks it.
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
