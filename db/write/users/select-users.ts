import type { Connection } from '../connection.ts';

/** contexts: names of those granted, in order. */
export type UserRow = { userId: number; username: string; contexts: string[] };

/** All users in order of their names. */
export async function selectUsers(connection: Connection): Promise<UserRow[]> {
  const { rows } = await connection.query<UserRow>(
    `select u.user_id as "userId", u.username,
       array(select c.name from grants g join contexts c using (context_id)
         where g.user_id = u.user_id order by c.name) as contexts
     from users u order by u.username`,
  );
  return rows;
}
