import type { Connection } from './connection.ts';
import type { RunTable } from './packed-runs.ts';

/** A row of packed runs where none should be. */
export type StrayRun = {
  table: RunTable;
  level: number;
  start: number;
  shard: number;
  probeId: number;
  sliceId: number;
  /** false: there is no such slice in the context. */
  hasSlice: boolean;
};

/**
 * Rows of a group that are of no slice of the context, or lie where no read of their slice looks:
 * of a resolution that the group does not have, or outside of the slice. At most `limit`.
 */
export async function selectStrayRuns(
  connection: Connection,
  group: {
    readonly contextId: number;
    readonly groupId: number;
    readonly levels: readonly number[];
    readonly topperBucketSeconds: number;
  },
  limit: number,
): Promise<StrayRun[]> {
  const { rows } = await connection.query<StrayRun>(
    `select 'topper_blocks' as "table", level, start::float8 as start, shard,
       probe_id as "probeId", slice_id as "sliceId", s.slice_id is not null as "hasSlice"
     from topper_blocks b left join slices s using (slice_id)
     where b.group_id = $1 and b.slice_id <> 0
       and (s.context_id is distinct from $2 or s.packed and not s.archived and (
         b.level <> all($3::int[]) or b.start < s.starts_at or b.last >= s.ends_at
         or b.last < b.start or b.start % b.level <> 0))
     union all
     select 'key_series', level, start, shard, probe_id, slice_id, s.slice_id is not null
     from key_series b left join slices s using (slice_id)
     where b.group_id = $1
       and (s.context_id is distinct from $2 or s.packed and not s.archived and (
         b.level <> $4 or b.start < -1 or b.last < b.start))
     limit $5`,
    [group.groupId, group.contextId, group.levels, group.topperBucketSeconds, limit],
  );
  return rows;
}
