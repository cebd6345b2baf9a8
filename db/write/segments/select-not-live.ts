import type { Connection } from '../../connection/connection.ts';

/** Selects those of the given segments that are dead or not there, in ascending order. */
export async function selectNotLive(
  connection: Connection,
  contextId: number,
  segmentIds: readonly number[],
): Promise<number[]> {
  const { rows } = await connection.query<{ segmentId: number }>(
    `select g.segment_id::float8 as "segmentId" from unnest($2::bigint[]) as g(segment_id)
     where not exists (
       select from segments s
       where s.context_id = $1 and s.segment_id = g.segment_id and s.died is null)
     order by g.segment_id`,
    [contextId, segmentIds],
  );
  return rows.map(({ segmentId }) => segmentId);
}
