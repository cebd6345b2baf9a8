import type { ReadSession, TimeBound } from '../read-session.ts';

/** A key text in one position (1 to 3) of the keys of a cross-key group. */
export type PartOfCrossKey = { groupId: number; position: number; part: string };

/** request: the place of the asking PartOfCrossKey in the list. */
export type CrossKeyRow = { request: number; shard: number; keyId: number };

/** The cross-keys that have the given keys as the given parts. */
export const selectCrossKeys = (
  session: ReadSession,
  parts: readonly PartOfCrossKey[],
  bound: TimeBound | null,
): Promise<CrossKeyRow[]> =>
  session.read(
    {
      query: 'select-cross-keys',
      // One branch a position, so that each is answered by the index on that part.
      text: [1, 2, 3]
        .map(
          (position) => `
select (w.request - 1)::int as request, k.shard, k.key_id as "keyId"
from unnest($1::int[], $2::int[], $3::text[]) with ordinality
  as w(group_id, position, part, request)
join keys k on k.group_id = w.group_id and k.part_${position} = w.part
where w.position = ${position}`,
        )
        .join('\nunion all'),
      values: [
        parts.map((part) => part.groupId),
        parts.map((part) => part.position),
        parts.map((part) => part.part),
      ],
    },
    bound,
  );
