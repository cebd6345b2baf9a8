import type { Connection } from '../../connection/connection.ts';
import type { FeedLossCounts } from './feed-losses.ts';

export type FeedLossesRow = FeedLossCounts & {
  readonly context: string;
  readonly format: string;
};

/** Selects the losses of all feeds so far, by context and format. */
export async function selectFeedLosses(connection: Connection): Promise<FeedLossesRow[]> {
  const { rows } = await connection.query<FeedLossesRow>(
    `select c.name as context, f.format, sum(f.refused_lines)::float8 as "refusedLines",
       sum(f.left_out_flows)::float8 as "leftOutFlows", sum(f.lost_flows)::float8 as "lostFlows",
       sum(f.lost_packets)::float8 as "lostPackets",
       sum(f.lost_datagrams)::float8 as "lostDatagrams"
     from feeds f join contexts c using (context_id)
     group by c.name, f.format order by c.name, f.format`,
  );
  return rows;
}
