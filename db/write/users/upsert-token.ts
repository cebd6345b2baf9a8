import type { Connection } from '../../connection/connection.ts';
import type { StoredToken } from './select-token.ts';

/** Gives a user a token, which replaces any other. */
export const upsertToken = async (
  connection: Connection,
  userId: number,
  { digest, salt, scryptCost }: StoredToken,
): Promise<void> => {
  await connection.query(
    `insert into tokens (user_id, digest, salt, scrypt_cost) values ($1, $2, $3, $4)
     on conflict (user_id) do update set digest = excluded.digest, salt = excluded.salt,
       scrypt_cost = excluded.scrypt_cost, created_at = now()`,
    [userId, digest, salt, scryptCost],
  );
};
