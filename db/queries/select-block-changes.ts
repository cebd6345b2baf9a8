import type { ReadSession, TimeBound } from '../read-session.ts';

/** Blocks of the group that meet the interval may be others since `version`. */
export type BlockChangeRow = { groupId: number; version: number; from: number; to: number };

/**
 * What has changed after a version, up to the session's snapshot. null: that version is so long ago
 * that it is no longer known, and everything may have changed.
 */
export async function selectBlockChanges(
  session: ReadSession,
  contextId: number,
  after: number,
  bound: TimeBound | null,
): Promise<BlockChangeRow[] | null> {
  const rows = await session.read<BlockChangeRow & { kept: boolean }>(
    {
      query: 'select-block-changes',
      text: `
select c.group_id as "groupId", c.version::float8 as version, c.starts_at::float8 as "from",
  c.ends_at::float8 as "to", v.version - $2 <= 1000 as kept
from context_versions v
left join block_changes c on c.context_id = v.context_id and c.version > $2
where v.context_id = $1`,
      values: [contextId, after],
    },
    bound,
  );
  if (rows.some(({ kept }) => !kept)) return null;
  return rows.filter(({ groupId }) => groupId !== null);
}
