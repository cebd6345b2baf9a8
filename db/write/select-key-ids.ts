import type { Connection } from './connection.ts';

/** A key by its group, shard and text; the text decides the shard. */
export type KeyPlace = { groupId: number; shard: number; key: string };

/** The ids of keys, in the order of `places`; null for keys that are not there. */
export async function selectKeyIds(
  connection: Connection,
  places: readonly KeyPlace[],
): Promise<(number | null)[]> {
  const { rows } = await connection.query<{ key_id: number | null }>({
    text: `
select k.key_id
from unnest($1::int[], $2::text[]) with ordinality as w(group_id, key, place)
left join lateral (
  -- One look into keys_by_key for each, fenced by OFFSET 0. Without the shard, which the key
  -- decides anyway: without statistics the planner would walk the shard by the primary key.
  select key_id from keys where group_id = w.group_id and key = w.key collate "C" offset 0
) k on true
order by w.place`,
    values: [places.map(({ groupId }) => groupId), places.map(({ key }) => key)],
  });
  return rows.map((row) => row.key_id);
}
