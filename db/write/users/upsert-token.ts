import type { Connection } from '../../connection/connection.ts';

/** digest: SHA-256 of the token. */
export const upsertToken = async (
  connection: Connection,
  userId: number,
  digest: Buffer,
): Promise<void> => {
  await connection.query(
    `insert into tokens (user_id, digest) values ($1, $2)
     on conflict (user_id) do update set digest = excluded.digest, created_at = now()`,
    [userId, digest],
  );
};
