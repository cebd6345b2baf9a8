import type { Connection } from '../../connection/connection.ts';
import type { FeedLossCounts } from './feed-losses.ts';

export type SliceLosses = {
  readonly contextId: number;
  readonly engine: number;
  /** When the loss was noticed, in epoch seconds of the stream. */
  readonly at: number;
  readonly losses: FeedLossCounts;
};

/**
 * Adds to the losses of the slice at that time, or else of the one before it. Returns false if
 * there is none.
 */
export async function addSliceLosses(
  connection: Connection,
  { contextId, engine, at, losses }: SliceLosses,
): Promise<boolean> {
  const { rowCount } = await connection.query(
    `insert into slice_losses as l (slice_id, refused_lines, left_out_flows, lost_flows,
       lost_packets, lost_datagrams)
     select slice_id, $4, $5, $6, $7, $8 from slices
     where context_id = $1 and engine = $2 and starts_at <= $3
     order by starts_at desc limit 1
     on conflict (slice_id) do update set refused_lines = l.refused_lines + excluded.refused_lines,
       left_out_flows = l.left_out_flows + excluded.left_out_flows,
       lost_flows = l.lost_flows + excluded.lost_flows,
       lost_packets = l.lost_packets + excluded.lost_packets,
       lost_datagrams = l.lost_datagrams + excluded.lost_datagrams`,
    [
      contextId,
      engine,
      at,
      losses.refusedLines,
      losses.leftOutFlows,
      losses.lostFlows,
      losses.lostPackets,
      losses.lostDatagrams,
    ],
  );
  return rowCount === 1;
}
