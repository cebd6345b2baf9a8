import type { ReadSession, TimeBound } from '../read-session.ts';
import {
  groupValues,
  KEY_COLUMNS,
  type KeyGroup,
  type KeyRow,
  PART_LABELS,
} from './key-columns.ts';

/** Every key of the groups, in byte order: what a pattern or a search is matched against. */
export const selectGroupKeys = (
  session: ReadSession,
  groups: readonly KeyGroup[],
  bound: TimeBound | null,
): Promise<KeyRow[]> =>
  session.read(
    {
      query: 'select-group-keys',
      text: `
select ${KEY_COLUMNS}
from unnest($1::int[], $2::int[], $3::int[], $4::int[])
  as w(group_id, part_group_1, part_group_2, part_group_3)
join keys k using (group_id) ${PART_LABELS}
order by k.group_id, k.key`,
      values: groupValues(groups),
    },
    bound,
  );
