import type { Role } from '../../../domain/callers/role.ts';
import type { Connection } from '../../connection/connection.ts';

export type GrantsToInsert = {
  readonly userId: number;
  readonly contextIds: readonly number[];
  /** undefined: that of a grant that is there stays, and a new one is a reader's. */
  readonly role: Role | undefined;
};

/** isNew: it was granted just now; else its role was another one before. */
export type InsertedGrant = { readonly contextId: number; readonly isNew: boolean };

/** Grants contexts to a user. Gives the grants that are new or have another role now. */
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
