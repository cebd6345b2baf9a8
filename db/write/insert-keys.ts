import type { Connection } from './connection.ts';
import type { KeyPlace } from './select-key-ids.ts';

/** parts: of a cross-key, unescaped and in order; empty for others. */
export type NewKey = KeyPlace & { keyId: number; parts: readonly string[] };

/** Adds keys with their ids; the context is locked. */
export async function insertKeys(connection: Connection, keys: readonly NewKey[]): Promise<void> {
  await connection.query({
    text: `
insert into keys (group_id, shard, key_id, key, part_1, part_2, part_3)
select * from unnest($1::int[], $2::smallint[], $3::int[], $4::text[], $5::text[], $6::text[],
  $7::text[])`,
    values: [
      keys.map(({ groupId }) => groupId),
      keys.map(({ shard }) => shard),
      keys.map(({ keyId }) => keyId),
      keys.map(({ key }) => key),
      ...[0, 1, 2].map((place) => keys.map(({ parts }) => parts[place] ?? null)),
    ],
  });
}
