import type { ReadSession } from '../read-session.ts';

export type KeyCountRow = { groupId: number; keys: number };

/** How many keys each group has; no row for a group without any. */
export const selectKeyCounts = (
  session: ReadSession,
  groupIds: readonly number[],
): Promise<KeyCountRow[]> =>
  session.read({
    query: 'select-key-counts',
    text: `
select group_id as "groupId", count(*)::int as keys from keys
where group_id = any($1::int[]) group by group_id`,
    values: [groupIds],
  });
