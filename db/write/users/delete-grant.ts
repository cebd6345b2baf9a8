import type { Connection } from '../../connection/connection.ts';

/** Revokes a context from a user. Returns false if it was not granted. */
export async function deleteGrant(
  connection: Connection,
  userId: number,
  contextId: number,
): Promise<boolean> {
  const { rowCount } = await connection.query(
    'delete from grants where user_id = $1 and context_id = $2',
    [userId, contextId],
  );
  return rowCount === 1;
}
