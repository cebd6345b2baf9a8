import type { Connection } from './connection.ts';

/** The first and the last bucket with readings of a group in an available slice, of any probe. */
export type CoveredSpan = { sliceId: number; groupId: number; first: number; last: number };

export async function selectCoveredSpans(
  connection: Connection,
  contextId: number,
): Promise<CoveredSpan[]> {
  const { rows } = await connection.query<CoveredSpan>(
    `select v.slice_id as "sliceId", v.group_id as "groupId",
       min(v.first_bucket)::float8 as first, max(v.last_bucket)::float8 as last
     from coverage v join slices s using (slice_id)
     where s.context_id = $1 and not s.archived
     group by v.slice_id, v.group_id`,
    [contextId],
  );
  return rows;
}
