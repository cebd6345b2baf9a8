import type { Connection } from './connection.ts';

/** Blocks of a group that a transaction has written or removed: those that meet the interval. */
export type BlockChange = { groupId: number; from: number; to: number };

/** Servers that are further behind than this forget all they remember of a context. */
const KEPT_VERSIONS = 1000;

/**
 * Raises the context's version and tells which blocks this transaction changes. It holds up whoever
 * else changes the context until the commit, so it comes last.
 */
export async function noteChanges(
  connection: Connection,
  contextId: number,
  changes: readonly BlockChange[],
): Promise<void> {
  if (changes.length === 0) return;
  await connection.query('select raise_context_version($1)', [contextId]);
  await connection.query(
    `insert into block_changes (context_id, version, group_id, starts_at, ends_at)
     select v.context_id, v.version, c.group_id, c.starts_at, c.ends_at
     from context_versions v, unnest($2::int[], $3::bigint[], $4::bigint[])
       as c(group_id, starts_at, ends_at)
     where v.context_id = $1`,
    [
      contextId,
      changes.map(({ groupId }) => groupId),
      changes.map(({ from }) => from),
      changes.map(({ to }) => to),
    ],
  );
  await connection.query(
    `delete from block_changes c using context_versions v
     where c.context_id = $1 and v.context_id = $1 and c.version < v.version - ${KEPT_VERSIONS}`,
    [contextId],
  );
}
