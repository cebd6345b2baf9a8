import type { Connection } from '../connection.ts';

/** The names of the contexts that are granted to a user, in order. */
export async function selectGrants(connection: Connection, userId: number): Promise<string[]> {
  const { rows } = await connection.query<{ name: string }>(
    `select c.name from grants g join contexts c using (context_id)
     where g.user_id = $1 order by c.name`,
    [userId],
  );
  return rows.map(({ name }) => name);
}
