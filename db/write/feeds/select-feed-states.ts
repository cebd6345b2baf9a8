import type { Connection } from '../../connection/connection.ts';
import type { FeedLossCounts } from './feed-losses.ts';

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
