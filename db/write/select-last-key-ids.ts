import type { Connection } from './connection.ts';

export type LastKeyIdRow = { groupId: number; shard: number; lastKeyId: number };

/** The highest key id in each shard of the context's groups; shards without keys are left out. */
export async function selectLastKeyIds(
  connection: Connection,
  contextId: number,
): Promise<LastKeyIdRow[]> {
  // One look at the end of the primary key for each shard, however many keys there are.
  const { rows } = await connection.query<LastKeyIdRow>(
    `select g.group_id as "groupId", s.shard, k.key_id as "lastKeyId"
     from counter_groups g, generate_series(0, g.shard_count - 1) as s(shard),
       lateral (
         select key_id from keys
         where group_id = g.group_id and shard = s.shard::smallint
         order by key_id desc limit 1
       ) k
     where g.context_id = $1`,
    [contextId],
  );
  return rows;
}
