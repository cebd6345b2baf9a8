import type { ReadSession, TimeBound } from '../read-session.ts';
import {
  groupValues,
  KEY_COLUMNS,
  type KeyGroup,
  type KeyRow,
  LONE_KEY_COLUMNS,
  PART_LABELS,
} from './key-columns.ts';

export type KeyId = { group: KeyGroup; shard: number; keyId: number };

export function selectKeysById(
  session: ReadSession,
  ids: readonly KeyId[],
  bound: TimeBound | null,
): Promise<KeyRow[]> {
  const haveParts = ids.some(({ group }) => group.partGroupIds.some((id) => id !== null));
  const places = [ids.map(({ shard }) => shard), ids.map(({ keyId }) => keyId)];
  const groups = ids.map(({ group }) => group);
  const statement = haveParts
    ? { ...SELECT_KEYS, values: [...groupValues(groups), ...places] }
    : { ...SELECT_LONE_KEYS, values: [groups.map(({ groupId }) => groupId), ...places] };
  return session.read({ query: 'select-keys-by-id', ...statement }, bound);
}

const SELECT_KEYS = {
  name: 'keys_by_id',
  text: `
select ${KEY_COLUMNS}
from unnest($1::int[], $2::int[], $3::int[], $4::int[], $5::smallint[], $6::int[])
  as w(group_id, part_group_1, part_group_2, part_group_3, shard, key_id)
join keys k on k.group_id = w.group_id and k.shard = w.shard and k.key_id = w.key_id ${PART_LABELS}`,
};

/** Joins that find nothing would cost as much as finding the keys. */
const SELECT_LONE_KEYS = {
  name: 'lone_keys_by_id',
  text: `
select ${LONE_KEY_COLUMNS}
from unnest($1::int[], $2::smallint[], $3::int[]) as w(group_id, shard, key_id)
join keys k using (group_id, shard, key_id)`,
};
