import type { ReadSession, TimeBound } from '../read-session.ts';

/** Keys of a shard, ascending by id; keys: their raw texts, a line each (none has a line feed). */
export type KeyTextsRow = { groupId: number; shard: number; keyIds: number[]; keys: string };

/** The keys of a group whose ids come after the ones known, by shard. */
export type KeyTextsRead = {
  readonly groupId: number;
  readonly after: readonly { readonly shard: number; readonly keyId: number }[];
};

/** All keys of the groups but those that are known, in few rows. */
export const selectKeyTexts = (
  session: ReadSession,
  reads: readonly KeyTextsRead[],
  bound: TimeBound | null,
): Promise<KeyTextsRow[]> => {
  const flat = reads.flatMap(({ groupId, after }) => after.map((place) => ({ groupId, ...place })));
  return session.read(
    {
      query: 'select-key-texts',
      text: `
select w.group_id as "groupId", w.shard, k.ids as "keyIds", k.texts as keys
from unnest($1::int[], $2::smallint[], $3::int[]) as w(group_id, shard, after)
cross join lateral (
  select array_agg(o.key_id) as ids, string_agg(o.key, E'\\n') as texts
  from (
    select key_id, key from keys
    where group_id = w.group_id and shard = w.shard and key_id > w.after
    order by key_id
  ) o
) k
where k.ids is not null`,
      values: [
        flat.map(({ groupId }) => groupId),
        flat.map(({ shard }) => shard),
        flat.map(({ keyId }) => keyId),
      ],
    },
    bound,
  );
};
