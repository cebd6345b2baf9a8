import type { ReadSession, TimeBound } from '../read-session.ts';
import { PACKED_KEY_IDS, unpackKeyIds } from './key-ids.ts';

/** Keys of a shard that the read at place `read` asked for, ascending by id, and their raw texts. */
export type KeyTextsRow = {
  readonly read: number;
  readonly shard: number;
  readonly keyIds: Uint32Array;
  readonly texts: readonly string[];
};

/** The keys of a group whose ids come after the ones known, by shard. */
export type KeyTextsRead = {
  readonly groupId: number;
  readonly after: readonly { readonly shard: number; readonly keyId: number }[];
};

/** None has a line feed, so a shard's texts come as one. */
type PackedRow = {
  readonly read: number;
  readonly shard: number;
  readonly keyIds: Buffer;
  readonly texts: string;
};

/** All keys of the groups but those that are known, in few rows. */
export async function selectKeyTexts(
  session: ReadSession,
  reads: readonly KeyTextsRead[],
  bound: TimeBound | null,
): Promise<KeyTextsRow[]> {
  const flat = reads.flatMap(({ groupId, after }, read) =>
    after.map((place) => ({ read, groupId, ...place })),
  );
  const rows = await session.read<PackedRow>(
    {
      query: 'select-key-texts',
      name: 'key_texts',
      text: SELECT_KEY_TEXTS,
      values: [
        flat.map(({ read }) => read),
        flat.map(({ groupId }) => groupId),
        flat.map(({ shard }) => shard),
        flat.map(({ keyId }) => keyId),
      ],
    },
    bound,
  );
  return rows.map(({ keyIds, texts, ...row }) => ({
    ...{ ...row, keyIds: unpackKeyIds(keyIds) },
    texts: texts.split('\n'),
  }));
}

const SELECT_KEY_TEXTS = `
select w.read, w.shard, k.ids as "keyIds", k.texts
from unnest($1::int[], $2::int[], $3::smallint[], $4::int[]) as w(read, group_id, shard, after)
cross join lateral (
  select ${PACKED_KEY_IDS} as ids, string_agg(key, E'\\n') as texts
  from (
    select key_id, key from keys
    where group_id = w.group_id and shard = w.shard and key_id > w.after
    order by key_id
  ) o
) k
where k.ids is not null`;
