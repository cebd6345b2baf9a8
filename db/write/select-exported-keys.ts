import type { Connection } from './connection.ts';

/** A key of a group by its id, with all that is said about it. */
export type ExportedKey = {
  shard: number;
  keyId: number;
  key: string;
  label: string | null;
  /** Who labelled it; null: nobody. */
  labelSource: 'user' | 'dns' | 'mmdb' | null;
  description: string | null;
  attributes: Record<string, string> | null;
};

/** The keys of a group at these places, in no order. */
export async function selectExportedKeys(
  connection: Connection,
  groupId: number,
  places: readonly { readonly shard: number; readonly keyId: number }[],
): Promise<ExportedKey[]> {
  const { rows } = await connection.query<ExportedKey>(
    `select k.shard, k.key_id as "keyId", k.key, k.label, k.label_source as "labelSource",
       k.description, k.attributes
     from unnest($2::int[], $3::int[]) as w(shard, key_id)
     join keys k on k.group_id = $1 and k.shard = w.shard and k.key_id = w.key_id`,
    [groupId, places.map(({ shard }) => shard), places.map(({ keyId }) => keyId)],
  );
  return rows;
}

/** How many keys these groups have together. */
export async function countKeys(
  connection: Connection,
  groupIds: readonly number[],
): Promise<number> {
  const { rows } = await connection.query<{ count: number }>(
    'select count(*)::float8 as count from keys where group_id = any($1::int[])',
    [groupIds],
  );
  return rows[0]?.count ?? 0;
}
