import type { Role } from '../../../domain/callers/role.ts';
import type { Connection } from '../../connection/connection.ts';

export type GrantsToInsert = {
  readonly userId: number;
  readonly contextIds: readonly number[];
  /** undefined: an existing grant keeps its role, and a new one has the role reader. */
  readonly role: Role | undefined;
};

/** isNew: the grant is new; else its role has changed. */
export type InsertedGrant = { readonly contextId: number; readonly isNew: boolean };

/** Grants contexts to a user. Returns the grants that are new or whose role has changed. */
export async function insertGrants(
  connection: Connection,
  { userId, contextIds, role }: GrantsToInsert,
): Promise<InsertedGrant[]> {
  const { rows } = await connection.query<InsertedGrant>(
    `insert into grants as g (user_id, context_id, role)
     select $1, context_id, coalesce($3, 'reader') from unnest($2::int[]) as asked (context_id)
     on conflict (user_id, context_id) do update set role = excluded.role
       where $3::text is not null and g.role <> excluded.role
     returning context_id as "contextId", xmax = 0 as "isNew"`,
    [userId, contextIds, role ?? null],
  );
  return rows;
}
