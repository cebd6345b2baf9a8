import type { ReadSession } from '../read-session.ts';
import {
  groupValues,
  KEY_COLUMNS,
  type KeyGroup,
  type KeyRow,
  PART_LABELS,
} from './key-columns.ts';

export type KeyOfGroup = { group: KeyGroup; key: string };

export const selectKeysByText = (
  session: ReadSession,
  keys: readonly KeyOfGroup[],
): Promise<KeyRow[]> =>
  session.read({
    query: 'select-keys-by-text',
    text: `
select ${KEY_COLUMNS}
from unnest($1::int[], $2::int[], $3::int[], $4::int[], $5::text[])
  as w(group_id, part_group_1, part_group_2, part_group_3, key)
join keys k on k.group_id = w.group_id and k.key = w.key ${PART_LABELS}`,
    values: [...groupValues(keys.map(({ group }) => group)), keys.map(({ key }) => key)],
  });
