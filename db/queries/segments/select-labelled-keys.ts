import type { ReadSession, TimeBound } from '../../session/read-session.ts';
import type { TextsRow } from './select-texts.ts';

/** isByUser: a user gave some of the texts, so the key exists even without readings. */
export type LabelledKeyRow = TextsRow & { readonly isByUser: boolean };

/** Selects all keys of these groups that have texts, in one statement. */
export const selectLabelledKeys = (
  session: Pick<ReadSession, 'read'>,
  groupIds: readonly number[],
  bound: TimeBound | null,
): Promise<LabelledKeyRow[]> =>
  session.read(
    {
      query: 'select-labelled-keys',
      name: 'labelled_keys',
      text: `
select group_id as "groupId", key, label, description, attributes,
  label_source is not distinct from 'user' or num_nonnulls(description, attributes) > 0
    as "isByUser"
from key_texts where group_id = any($1::int[])
order by group_id, key`,
      values: [groupIds],
    },
    bound,
  );
