import type { Role } from '../../../domain/callers/role.ts';
import type { Connection } from '../../connection/connection.ts';

/** A context that a user may access, and their role in it. */
export type Grant = { readonly context: string; readonly role: Role };

/** Selects the contexts granted to a user, in order of their names. */
export async function selectGrants(connection: Connection, userId: number): Promise<Grant[]> {
  const { rows } = await connection.query<Grant>(
    `select c.name as context, g.role from grants g join contexts c using (context_id)
     where g.user_id = $1 order by c.name`,
    [userId],
  );
  return rows;
}
