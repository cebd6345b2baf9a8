import type { Connection } from './connection.ts';

/** A name that a database gives to a key. */
export type MmdbName = { key: string; name: string };

/** Names keys of a group; labels that users gave stay. Returns how many keys it has named anew. */
export async function labelFromMmdb(
  connection: Connection,
  groupId: number,
  names: readonly MmdbName[],
): Promise<number> {
  const { rowCount } = await connection.query({
    text: `
update keys k set label = n.name, label_source = 'mmdb'
from unnest($2::text[], $3::text[]) as n(key, name)
where k.group_id = $1 and k.key = n.key
  and (k.label is null or k.label_source = 'mmdb') and k.label is distinct from n.name`,
    values: [groupId, names.map(({ key }) => key), names.map(({ name }) => name)],
  });
  return rowCount ?? 0;
}
