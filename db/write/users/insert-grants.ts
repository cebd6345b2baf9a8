import type { Connection } from '../connection.ts';

/** Grants contexts to a user; those that were granted before stay. Gives the ones that are new. */
export async function insertGrants(
  connection: Connection,
  userId: number,
  contextIds: readonly number[],
): Promise<ReadonlySet<number>> {
  const { rows } = await connection.query<{ contextId: number }>(
    `insert into grants (user_id, context_id) select $1, unnest($2::int[])
     on conflict do nothing returning context_id as "contextId"`,
    [userId, contextIds],
  );
  return new Set(rows.map(({ contextId }) => contextId));
}
