import type { Connection } from './connection.ts';

/** The ids of those groups of a context that have keys; a group without keys has no data. */
export async function selectGroupsWithKeys(
  connection: Connection,
  contextId: number,
): Promise<Set<number>> {
  const { rows } = await connection.query<{ group_id: number }>(
    `select group_id from counter_groups g
     where context_id = $1 and exists (select from keys k where k.group_id = g.group_id)`,
    [contextId],
  );
  return new Set(rows.map((row) => row.group_id));
}
