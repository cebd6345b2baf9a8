import type { Connection } from '../../connection/connection.ts';

/**
 * A token as it is stored: its SHA-256, or, with `salt` and `scryptCost`, the scrypt of its SHA-256.
 */
export type StoredToken = {
  readonly digest: Buffer;
  readonly salt: Buffer | null;
  readonly scryptCost: number | null;
};

/** Selects the user's token; null: there is no such user, or the user has no token. */
export async function selectToken(
  connection: Connection,
  username: string,
): Promise<StoredToken | null> {
  const { rows } = await connection.query<StoredToken>(
    `select t.digest, t.salt, t.scrypt_cost as "scryptCost"
     from tokens t join users u using (user_id) where u.username = $1`,
    [username],
  );
  return rows[0] ?? null;
}
