import type { Connection } from '../../connection/connection.ts';
import type { FeedLossCounts } from './feed-losses.ts';

/**
 * Selects the losses of feeds in the slices of a context, by slice_id; slices without losses are
 * left out.
 */
export async function selectSliceLosses(
  connection: Connection,
  contextId: number,
): Promise<ReadonlyMap<number, FeedLossCounts>> {
  const { rows } = await connection.query<FeedLossCounts & { sliceId: number }>(
    `select l.slice_id as "sliceId", l.refused_lines::float8 as "refusedLines",
       l.left_out_flows::float8 as "leftOutFlows", l.lost_flows::float8 as "lostFlows",
       l.lost_packets::float8 as "lostPackets", l.lost_datagrams::float8 as "lostDatagrams"
     from slice_losses l join slices using (slice_id) where context_id = $1`,
    [contextId],
  );
  return new Map(rows.map(({ sliceId, ...losses }) => [sliceId, losses]));
}
