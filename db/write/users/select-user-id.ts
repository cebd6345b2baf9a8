import type { Connection } from '../../connection/connection.ts';

export async function selectUserId(
  connection: Connection,
  username: string,
): Promise<number | null> {
  const { rows } = await connection.query<{ userId: number }>(
    'select user_id as "userId" from users where username = $1',
    [username],
  );
  return rows[0]?.userId ?? null;
}
