import type { Connection } from '../connection/connection.ts';

/** Returns whether there are neither users nor contexts: nobody has used the database yet. */
export async function selectIsUnused(connection: Connection): Promise<boolean> {
  const { rows } = await connection.query<{ isUnused: boolean }>(
    `select not exists (select from users) and not exists (select from contexts) as "isUnused"`,
  );
  return rows[0]?.isUnused ?? false;
}
