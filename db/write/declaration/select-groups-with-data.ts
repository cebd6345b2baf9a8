import type { Connection } from '../../connection/connection.ts';

/**
 * Selects the ids of the groups of a context that ever had readings, or that have keys with texts.
 */
export async function selectGroupsWithData(
  connection: Connection,
  contextId: number,
): Promise<Set<number>> {
  const { rows } = await connection.query<{ groupId: number }>(
    `select group_id as "groupId" from counter_groups g
     where context_id = $1
       and (has_data or exists (select from key_texts t where t.group_id = g.group_id))`,
    [contextId],
  );
  return new Set(rows.map(({ groupId }) => groupId));
}
