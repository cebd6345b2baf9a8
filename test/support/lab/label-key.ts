import type { TestService } from './service.ts';

/** Labels a key of a group, as a user does. */
export const labelKey = (
  { sql }: Pick<TestService, 'sql'>,
  group: string,
  [key, label]: readonly [key: string, label: string],
): Promise<unknown> =>
  sql(
    `insert into key_texts (group_id, key, label, label_source)
     select group_id, $2, $3, 'user' from counter_groups where guid = $1
     on conflict (group_id, key) do update set label = excluded.label`,
    [group, key, label],
  );
