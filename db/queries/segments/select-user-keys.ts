import type { ReadSession, TimeBound } from '../../session/read-session.ts';

/** A key in raw form. */
export type KeyOfGroup = { readonly groupId: number; readonly key: string };

/** SQL: a user gave the text, not a DNS answer or a MaxMind file. */
const BY_USER = `label_source = 'user' or description is not null or attributes is not null`;

/** Selects those of the keys to which a user gave a text. */
export const selectUserKeys = (
  session: Pick<ReadSession, 'read'>,
  keys: readonly KeyOfGroup[],
  bound?: TimeBound | null,
): Promise<KeyOfGroup[]> =>
  session.read(
    {
      query: 'select-user-keys',
      name: 'user_keys',
      text: `
select t.group_id as "groupId", t.key
from unnest($1::int[], $2::text[]) as w(group_id, key)
join key_texts t on t.group_id = w.group_id and t.key = w.key
where ${BY_USER}`,
      values: [keys.map(({ groupId }) => groupId), keys.map(({ key }) => key)],
    },
    bound,
  );
