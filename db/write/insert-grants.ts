import type { Connection } from './connection.ts';

/** Grants contexts to a user; those that were granted before stay. */
export const insertGrants = async (
  connection: Connection,
  userId: number,
  contextIds: readonly number[],
): Promise<void> => {
  await connection.query(
    `insert into grants (user_id, context_id) select $1, unnest($2::int[])
     on conflict do nothing`,
    [userId, contextIds],
  );
};
