import type { Connection } from '../../connection/connection.ts';
import type { FeedLossCounts } from './feed-losses.ts';

/** What a feed has committed so far, including its newest commit. */
export type FeedRow = {
  feedId: string;
  contextId: number;
  format: string;
  startedAt: Date;
  commits: number;
  flows: number;
  newestUs: number;
  losses: FeedLossCounts;
};

/**
 * Records a feed's commit, in the transaction that is that commit. A commit that has only losses
 * does not make the feed's data newer.
 */
export async function upsertFeed(connection: Connection, feed: FeedRow): Promise<void> {
  const { losses } = feed;
  await connection.query(
    `insert into feeds (feed_id, context_id, format, started_at, commits, flows, newest_us,
       refused_lines, left_out_flows, lost_flows, lost_packets, lost_datagrams)
     values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12)
     on conflict (feed_id) do update set commits = excluded.commits, flows = excluded.flows,
       newest_us = excluded.newest_us, refused_lines = excluded.refused_lines,
       left_out_flows = excluded.left_out_flows, lost_flows = excluded.lost_flows,
       lost_packets = excluded.lost_packets, lost_datagrams = excluded.lost_datagrams,
       committed_at = case when excluded.flows > feeds.flows then now()
         else feeds.committed_at end`,
    [
      feed.feedId,
      feed.contextId,
      feed.format,
      feed.startedAt,
      feed.commits,
      feed.flows,
      feed.newestUs,
      losses.refusedLines,
      losses.leftOutFlows,
      losses.lostFlows,
      losses.lostPackets,
      losses.lostDatagrams,
    ],
  );
}
