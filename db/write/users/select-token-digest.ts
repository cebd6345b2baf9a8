import type { Connection } from '../../connection/connection.ts';

/**
 * Selects the SHA-256 of the user's token; null: there is no such user, or the user has no token.
 */
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
