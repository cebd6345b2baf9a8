import { FEED_LOCK } from '../advisory-locks.ts';
import { type Connection, isTransactionPooled } from '../connection/connection.ts';
import { applySettings } from '../connection/session-settings.ts';

export type FeedStatesRow = FeedLossCounts & {
  readonly context: string;
  readonly format: string;
  /** Empty: none was given. */
  readonly probe: string;
  /** Flows that were committed. */
  readonly flows: number;
  /** When flows were last committed, in epoch seconds; null: never. */
  readonly lastCommitAt: number | null;
  /** Flows that wait in feeds that run; null: no feed runs. */
  readonly waitingFlows: number | null;
  /** Seconds since the newest flow that was read ended; null: no feed that has read any runs. */
  readonly behindSeconds: number | null;
};

/**
 * Selects the sums of all feeds so far, and what those that run are doing, by context, format and
 * probe. A feed runs until it ends. One that has died without a word counts as running until
 * another takes its place: it is still expected to bring flows.
 */
export async function selectFeedStates(connection: Connection): Promise<FeedStatesRow[]> {
  const { rows } = await connection.query<FeedStatesRow>(
    `select c.name as context, f.format, coalesce(f.probe, '') as probe,
       sum(f.flows)::float8 as flows, sum(f.refused_lines)::float8 as "refusedLines",
       sum(f.left_out_flows)::float8 as "leftOutFlows", sum(f.lost_flows)::float8 as "lostFlows",
       sum(f.lost_packets)::float8 as "lostPackets",
       sum(f.lost_datagrams)::float8 as "lostDatagrams",
       extract(epoch from max(f.committed_at) filter (where f.flows > 0))::float8
         as "lastCommitAt",
       sum(f.waiting_flows) filter (where is_running)::float8 as "waitingFlows",
       max(extract(epoch from now()) - f.read_us / 1e6)
         filter (where is_running and f.read_us > 0)::float8 as "behindSeconds"
     from (
       select *, ended_at is null and (heard_at > now() - interval '2 minutes'
         or row_number() over (partition by context_id, format, probe order by started_at desc) = 1)
         as is_running
       from feeds
     ) f join contexts c using (context_id)
     group by 1, 2, 3 order by 1, 2, 3`,
  );
  return rows;
}

type LastFeedRow = { startedAt: Date; committedAt: Date; flows: number; newestUs: number };

/** Selects the feed that last committed flows into a context, or null. */
export async function selectLastFeed(
  connection: Connection,
  context: string,
): Promise<LastFeedRow | null> {
  const { rows } = await connection.query<LastFeedRow>(
    `select f.started_at as "startedAt", f.committed_at as "committedAt",
       f.flows::float8 as flows, f.newest_us::float8 as "newestUs"
     from feeds f join contexts c using (context_id)
     where c.name = $1 and f.flows > 0 order by f.committed_at desc limit 1`,
    [context],
  );
  return rows[0] ?? null;
}

/** What a collector stored last. */
export type LastCollectingRow = {
  /** When it did so, and the time, both in epoch seconds. */
  readonly heardAt: number;
  readonly now: number;
  /** Whether that was its last commit; otherwise it runs, or was killed. */
  readonly hasEnded: boolean;
  /** Flows that it had read and not committed. */
  readonly waitingFlows: number;
};

/** Selects what the last collector of a context and probe stored; null: there was none. */
export async function selectLastCollecting(
  connection: Connection,
  context: string,
  probe: string | null,
): Promise<LastCollectingRow | null> {
  const { rows } = await connection.query<LastCollectingRow>(
    `select extract(epoch from f.heard_at)::float8 as "heardAt",
       extract(epoch from now())::float8 as now, f.ended_at is not null as "hasEnded",
       f.waiting_flows::float8 as "waitingFlows"
     from feeds f join contexts c using (context_id)
     where c.name = $1 and f.format = 'collect' and f.probe is not distinct from $2
     order by f.heard_at desc limit 1`,
    [context, probe],
  );
  return rows[0] ?? null;
}

/**
 * Returns how many times a feed has committed: the number of its newest commit, 0 before the first.
 */
export async function selectFeedCommits(connection: Connection, feedId: string): Promise<number> {
  const { rows } = await connection.query<{ commits: number }>(
    'select commits::float8 as commits from feeds where feed_id = $1',
    [feedId],
  );
  return rows[0]?.commits ?? 0;
}

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
  /** Seconds for which the feed has read nothing more, because it ends; left out: it reads. */
  silentSeconds?: number;
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
 * does not make the feed's data newer. A last commit may come long after the feed stopped to read,
 * and says when that was.
 */
export async function upsertFeed(connection: Connection, feed: FeedRow): Promise<void> {
  const { losses, state } = feed;
  await connection.query(
    `insert into feeds (feed_id, context_id, format, started_at, commits, flows, newest_us,
       refused_lines, left_out_flows, lost_flows, lost_packets, lost_datagrams, probe,
       waiting_flows, read_us, ended_at, heard_at)
     values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15,
       case when $16 then now() end, clock_timestamp() - make_interval(secs => $17))
     on conflict (feed_id) do update set commits = excluded.commits, flows = excluded.flows,
       newest_us = excluded.newest_us, refused_lines = excluded.refused_lines,
       left_out_flows = excluded.left_out_flows, lost_flows = excluded.lost_flows,
       lost_packets = excluded.lost_packets, lost_datagrams = excluded.lost_datagrams,
       waiting_flows = excluded.waiting_flows, read_us = excluded.read_us,
       heard_at = excluded.heard_at,
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
      feed.silentSeconds ?? 0,
    ],
  );
}

/**
 * Takes the lock of a feed, unless another connection has it; `shared`: unless another has it
 * alone. The lock lasts as long as the
 * connection, which is for nothing else. Behind a pooler in transaction mode, a transaction that
 * stays open keeps the server process and with it the lock; it reads nothing, so it is in nobody's
 * way.
 */
export async function tryHoldFeed(
  connection: Connection,
  hash: number,
  how: 'alone' | 'shared' = 'alone',
): Promise<boolean> {
  const isPooled = isTransactionPooled(connection);
  const prepare = isPooled ? `begin; ${applySettings('transaction')}` : KEPT_ALIVE;
  await connection.query(prepare);
  const end = how === 'shared' ? '_shared' : '';
  const lock = `pg_try_advisory_${isPooled ? 'xact_' : ''}lock${end}`;
  const { rows } = await connection.query<{ isHeld: boolean }>(
    `select ${lock}($1, $2) as "isHeld"`,
    [FEED_LOCK, hash],
  );
  const isHeld = rows[0]?.isHeld ?? false;
  if (isPooled && !isHeld) await connection.query('rollback');
  return isHeld;
}

/** A machine that is gone must have lost the lock before its successor gives up. */
const KEPT_ALIVE = `set tcp_keepalives_idle = 10; set tcp_keepalives_interval = 5;
  set tcp_keepalives_count = 3`;

/** What a feed did not bring into its context, and why. */
export type FeedLossCounts = {
  /** Lines that could not be accepted and were skipped. */
  readonly refusedLines: number;
  /** Flows of archived slices. */
  readonly leftOutFlows: number;
  /** What exporters sent but no line reports, in the units that their protocols count. */
  readonly lostFlows: number;
  readonly lostPackets: number;
  readonly lostDatagrams: number;
};

export const NO_LOSSES: FeedLossCounts = {
  refusedLines: 0,
  leftOutFlows: 0,
  lostFlows: 0,
  lostPackets: 0,
  lostDatagrams: 0,
};

type SliceLosses = {
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
