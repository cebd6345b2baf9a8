import type { ReadSession, TimeBound } from '../read-session.ts';
import {
  groupValues,
  KEY_COLUMNS,
  type KeyGroup,
  type KeyRow,
  PART_LABELS,
} from './key-columns.ts';

export type KeyId = { group: KeyGroup; shard: number; keyId: number };

export const selectKeysById = (
  session: ReadSession,
  ids: readonly KeyId[],
  bound: TimeBound | null,
): Promise<KeyRow[]> =>
  session.read(
    {
      query: 'select-keys-by-id',
      name: 'keys_by_id',
      text: `
select ${KEY_COLUMNS}
from unnest($1::int[], $2::int[], $3::int[], $4::int[], $5::smallint[], $6::int[])
  as w(group_id, part_group_1, part_group_2, part_group_3, shard, key_id)
join keys k on k.group_id = w.group_id and k.shard = w.shard and k.key_id = w.key_id ${PART_LABELS}`,
      values: [
        ...groupValues(ids.map((id) => id.group)),
        ids.map((id) => id.shard),
        ids.map((id) => id.keyId),
      ],
    },
    bound,
  );
