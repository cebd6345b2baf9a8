import type { Connection } from './connection.ts';

/** The names of a context's probes by id. */
export async function selectProbeNames(
  connection: Connection,
  contextId: number,
): Promise<Map<number, string>> {
  const { rows } = await connection.query<{ probeId: number; name: string }>(
    'select probe_id as "probeId", name from probes where context_id = $1',
    [contextId],
  );
  return new Map(rows.map(({ probeId, name }) => [probeId, name]));
}

export type KeyPlace = { readonly groupId: number; readonly shard: number; readonly keyId: number };

/** The keys' texts in the order of the places; null where there is no such key. */
export async function selectKeyNames(
  connection: Connection,
  places: readonly KeyPlace[],
): Promise<(string | null)[]> {
  const { rows } = await connection.query<{ key: string | null }>(
    // bigint: an id that was read from damaged data may be larger than any key's.
    `select k.key from unnest($1::int[], $2::int[], $3::bigint[])
       with ordinality as w(group_id, shard, key_id, place)
     left join keys k on k.group_id = w.group_id and k.shard = w.shard and k.key_id = w.key_id
     order by w.place`,
    [
      places.map(({ groupId }) => groupId),
      places.map(({ shard }) => shard),
      places.map(({ keyId }) => keyId),
    ],
  );
  return rows.map(({ key }) => key);
}
