import type { Connection } from './connection.ts';

/** From the first to the last start of a bucket or block; null: there is none. */
export type Extent = { first: number | null; last: number | null };

/** Where a slice has samples of a group, or blocks of one resolution. */
export async function selectExtent(
  connection: Connection,
  {
    groupId,
    level,
    sliceId,
    startsAt,
    endsAt,
  }: {
    readonly groupId: number;
    readonly level: number;
    readonly sliceId: number;
    readonly startsAt: number;
    readonly endsAt: number;
  },
): Promise<Extent> {
  const { rows } = await connection.query<Extent>(
    `select least(s.first, b.first)::float8 as first, greatest(s.last, b.last)::float8 as last
     from (
       select (select min(bucket) from samples where slice_id = $3 and group_id = $1) as first,
         (select max(bucket) from samples where slice_id = $3 and group_id = $1) as last
     ) s, (
       select min(start) as first, max(last) as last from topper_blocks
       where group_id = $1 and level = $2 and slice_id = $3 and start >= $4 and start < $5
     ) b`,
    [groupId, level, sliceId, startsAt, endsAt],
  );
  return rows[0] ?? { first: null, last: null };
}
