import type { Connection } from '../../connection/connection.ts';

/** SHA-256 of the user's token; null: there is no such user, or they have none. */
export async function selectTokenDigest(
  connection: Connection,
  username: string,
): Promise<Buffer | null> {
  const { rows } = await connection.query<{ digest: Buffer }>(
    'select t.digest from tokens t join users u using (user_id) where u.username = $1',
    [username],
  );
  return rows[0]?.digest ?? null;
}
