import type { Connection } from './connection.ts';

/** What a feed has committed so far, its newest commit included. */
export type FeedRow = {
  feedId: string;
  contextId: number;
  format: string;
  startedAt: Date;
  commits: number;
  flows: number;
  newestUs: number;
};

/** Writes down a feed's commit, in the transaction that is that commit. */
export async function upsertFeed(connection: Connection, feed: FeedRow): Promise<void> {
  await connection.query(
    `insert into feeds (feed_id, context_id, format, started_at, commits, flows, newest_us)
     values ($1, $2, $3, $4, $5, $6, $7)
     on conflict (feed_id) do update set commits = excluded.commits, flows = excluded.flows,
       newest_us = excluded.newest_us, committed_at = now()`,
    [
      feed.feedId,
      feed.contextId,
      feed.format,
      feed.startedAt,
      feed.commits,
      feed.flows,
      feed.newestUs,
    ],
  );
}
