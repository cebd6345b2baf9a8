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
  /** null: none was given. */
  probe: string | null;
  state: FeedState;
};

/** What a feed is doing at the time of a commit. */
export type FeedState = {
  /** Flows that were read and are not committed, nor part of this commit. */
  readonly waitingFlows: number;
  /** When the newest flow that was read ended; 0: none was. */
  readonly readUs: number;
  /** Whether this is the last commit of the feed. */
  readonly isLast: boolean;
};

/**
 * Records a feed's commit, in the transaction that is that commit. A commit that has only losses
 * does not make the feed's data newer.
 */
export async function upsertFeed(connection: Connection, feed: FeedRow): Promise<void> {
  const { losses, state } = feed;
  await connection.query(
    `insert into feeds (feed_id, context_id, format, started_at, commits, flows, newest_us,
       refused_lines, left_out_flows, lost_flows, lost_packets, lost_datagrams, probe,
       waiting_flows, read_us, ended_at)
     values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15,
       case when $16 then now() end)
     on conflict (feed_id) do update set commits = excluded.commits, flows = excluded.flows,
       newest_us = excluded.newest_us, refused_lines = excluded.refused_lines,
       left_out_flows = excluded.left_out_flows, lost_flows = excluded.lost_flows,
       lost_packets = excluded.lost_packets, lost_datagrams = excluded.lost_datagrams,
       waiting_flows = excluded.waiting_flows, read_us = excluded.read_us, heard_at = now(),
       ended_at = excluded.ended_at,
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
      feed.probe,
      state.waitingFlows,
      state.readUs,
      state.isLast,
    ],
  );
}
