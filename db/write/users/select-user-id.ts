import type { Connection } from '../connection.ts';

export async function selectUserId(
  connection: Connection,
  username: string,
): Promise<number | null> {
  const { rows } = await connection.query<{ user_id: number }>(
    'select user_id from users where username = $1',
    [username],
  );
  return rows[0]?.user_id ?? null;
}
