import type { Connection } from '../../connection/connection.ts';
import type { Grant } from './select-grants.ts';

/** grants: in order of the contexts' names. */
export type UserRow = { username: string; grants: Grant[] };

/** Selects all users in order of their names. */
export async function selectUsers(connection: Connection): Promise<UserRow[]> {
  const { rows } = await connection.query<UserRow>(
    `select u.username, coalesce((
         select json_agg(json_build_object('context', c.name, 'role', g.role) order by c.name)
         from grants g join contexts c using (context_id) where g.user_id = u.user_id
       ), '[]') as grants
     from users u order by u.username`,
  );
  return rows;
}
