import type { ReadSession, TimeBound } from '../read-session.ts';
import { PACKED_KEY_IDS, unpackKeyIds } from './key-ids.ts';

/** Keys of a group from `from` to before `below` in byte order. */
export type KeysInRangesRead = {
  readonly groupId: number;
  readonly shardCount: number;
  readonly ranges: readonly { readonly from: string; readonly below: string }[];
  /** Whether the keys' texts are wanted, or their ids only. */
  readonly withTexts: boolean;
};

/**
 * What the read at place `read` found in a shard. last: the highest id that any key of the shard
 * has. texts: those of keyIds, in their order; empty where they are not wanted.
 */
export type KeysInRangesRow = {
  readonly read: number;
  readonly shard: number;
  readonly last: number;
  readonly keyIds: Uint32Array;
  readonly texts: readonly string[];
};

type PackedRow = Pick<KeysInRangesRow, 'read' | 'shard' | 'last'> & {
  readonly keyIds: Buffer | null;
  readonly texts: string | null;
};

/** Of all reads in one statement; each range is one walk along the index. */
export async function selectKeysInRanges(
  session: ReadSession,
  reads: readonly KeysInRangesRead[],
  bound: TimeBound | null,
): Promise<KeysInRangesRow[]> {
  const ranges = reads.flatMap((read, place) => read.ranges.map((range) => ({ place, ...range })));
  const places = [...reads.keys()];
  const rows = await session.read<PackedRow>(
    {
      query: 'select-keys-in-ranges',
      name: 'keys_in_ranges',
      text: SELECT_KEYS_IN_RANGES,
      values: [
        ...[places, reads.map(({ groupId }) => groupId)],
        ...[reads.map(({ shardCount }) => shardCount), reads.map(({ withTexts }) => withTexts)],
        ...[ranges.map(({ place }) => place), ranges.map(({ from }) => from)],
        ranges.map(({ below }) => below),
      ],
    },
    bound,
  );
  return rows.map(({ keyIds, texts, ...row }) => ({
    ...{ ...row, keyIds: unpackKeyIds(keyIds) },
    texts: texts === null ? [] : texts.split('\n'),
  }));
}

/** The lateral part is fenced by OFFSET 0, so that it is never turned into a scan of the table. */
const SELECT_KEYS_IN_RANGES = `
with reads as (
  select * from unnest($1::int[], $2::int[], $3::int[], $4::boolean[])
    as r(read, group_id, shards, with_texts)
), found as (
  select r.read, k.shard, ${PACKED_KEY_IDS} as ids,
    string_agg(case when r.with_texts then k.key end, E'\\n') as texts
  from reads r
  join unnest($5::int[], $6::text[], $7::text[]) as s(read, starts, below) using (read)
  cross join lateral (
    select shard, key_id, key from keys
    where group_id = r.group_id and key >= s.starts and key < s.below
    offset 0
  ) k
  group by r.read, k.shard
)
select r.read, s.shard, l.key_id as last, f.ids as "keyIds", f.texts
from reads r
cross join generate_series(0, r.shards - 1) as s(shard)
cross join lateral (
  select key_id from keys where group_id = r.group_id and shard = s.shard
  order by key_id desc limit 1
) l
left join found f on f.read = r.read and f.shard = s.shard`;
