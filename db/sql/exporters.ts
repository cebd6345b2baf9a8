import type { Connection } from '../connection/connection.ts';
import type { ReadSession } from '../session/read-session.ts';

/** What a run of a collector knows of an exporter. Counts are totals since the start of the run. */
export type ExporterRow = {
  /** An IPv4 or IPv6 address in text form. */
  readonly address: string;
  /** The protocols it was heard in: `netflow5`, `netflow9`, `ipfix`, `sflow`. */
  readonly protocols: readonly string[];
  readonly firstSeen: Date;
  readonly lastSeen: Date;
  /** Flows that it reported and that were read. */
  readonly flows: number;
  /** What it sent and the collector did not receive, in the units that its protocols count. */
  readonly lostFlows: number;
  readonly lostPackets: number;
  readonly lostDatagrams: number;
  /** How much was refused, by reason. */
  readonly refused: Readonly<Record<string, number>>;
  /** Datagrams that wait for their template. */
  readonly waitingForTemplate: number;
  /** The sampling rates in use; 1: not sampled. */
  readonly samplingRates: readonly number[];
  /** Seconds that its clock is ahead of the collector's, negative: behind; null: unknown. */
  readonly clockAheadSeconds: number | null;
  /** What is doubtful about its sampling or clock, in sentences. */
  readonly doubts: readonly string[];
};

/**
 * Records what is known of exporters, each named once, in the transaction of a commit of their feed
 * and after `upsertFeed`. Exporters of earlier commits that are left out stay as they are, so that
 * only those that were heard need to be given. One statement.
 */
export async function upsertExporters(
  connection: Connection,
  feedId: string,
  rows: readonly ExporterRow[],
): Promise<void> {
  if (rows.length === 0) return;
  await connection.query(UPSERT_EXPORTERS, [feedId, JSON.stringify(rows)]);
}

/** Deletes what a run knew of exporters that it has forgotten. */
export async function deleteExporters(
  connection: Connection,
  feedId: string,
  addresses: readonly string[],
): Promise<void> {
  if (addresses.length === 0) return;
  await connection.query('delete from exporters where feed_id = $1 and address = any($2)', [
    feedId,
    addresses,
  ]);
}

// Arrays of arrays must be rectangular in PostgreSQL, those of JSON need not.
const UPSERT_EXPORTERS = `
insert into exporters (feed_id, address, protocols, first_seen, last_seen, flows, lost_flows,
  lost_packets, lost_datagrams, refused, waiting_for_template, sampling_rates,
  clock_ahead_seconds, doubts)
select $1, address, protocols, "firstSeen", "lastSeen", flows, "lostFlows",
  "lostPackets", "lostDatagrams", refused, "waitingForTemplate", "samplingRates",
  "clockAheadSeconds", doubts
from jsonb_to_recordset($2::jsonb) as r (address text, protocols text[],
  "firstSeen" timestamptz, "lastSeen" timestamptz, flows bigint, "lostFlows" bigint,
  "lostPackets" bigint, "lostDatagrams" bigint, refused jsonb, "waitingForTemplate" integer,
  "samplingRates" bigint[], "clockAheadSeconds" float8, doubts text[])
on conflict (feed_id, address) do update set protocols = excluded.protocols,
  first_seen = excluded.first_seen, last_seen = excluded.last_seen, flows = excluded.flows,
  lost_flows = excluded.lost_flows, lost_packets = excluded.lost_packets,
  lost_datagrams = excluded.lost_datagrams, refused = excluded.refused,
  waiting_for_template = excluded.waiting_for_template,
  sampling_rates = excluded.sampling_rates, clock_ahead_seconds = excluded.clock_ahead_seconds,
  doubts = excluded.doubts`;

/**
 * An exporter of a context: sums of all runs of all its feeds, whatever their probe, and the state
 * in the newest run that heard it.
 */
export type ExporterSumsRow = Omit<ExporterRow, 'firstSeen' | 'lastSeen'> & {
  readonly contextId: number;
  /** Of the context. */
  readonly context: string;
  /** In epoch seconds, with fractions. */
  readonly firstSeen: number;
  readonly lastSeen: number;
};

/**
 * Selects the exporters of contexts, those with the most flows first and at most `limit` of each
 * context. One statement, which reads as many rows as the contexts have had exporters in each run.
 */
export const selectExporters = (
  session: Pick<ReadSession, 'read'>,
  contextIds: readonly number[],
  limit: number,
): Promise<ExporterSumsRow[]> =>
  session.read({
    query: 'select-exporters',
    name: 'exporters',
    text: selectOf('where f.context_id = any($2::int[])'),
    values: [limit, contextIds],
  });

/** The same for all contexts … */
export const selectAllExporters = async (
  connection: Connection,
  limit: number,
): Promise<ExporterSumsRow[]> =>
  (await connection.query<ExporterSumsRow>(selectOf(''), [limit])).rows;

/** … and for one of them. */
export const selectExportersOf = async (
  connection: Connection,
  contextId: number,
  limit: number,
): Promise<ExporterSumsRow[]> =>
  (await connection.query<ExporterSumsRow>(selectOf('where f.context_id = $2'), [limit, contextId]))
    .rows;

// The listed exporters are found first, so that the rest is only done for them. What waits for a
// template does not outlive its run. float8 holds all counts and arrives as a number.
const selectOf = (where: string): string => `
with runs as (
  select f.context_id, f.started_at, f.ended_at, e.*
  from feeds f join exporters e using (feed_id)
  ${where}
), sums as (
  select context_id, address, min(first_seen) as first_seen, max(last_seen) as last_seen,
    sum(flows) as flows, sum(lost_flows) as lost_flows, sum(lost_packets) as lost_packets,
    sum(lost_datagrams) as lost_datagrams,
    row_number() over (partition by context_id order by sum(flows) desc, address) as place
  from runs group by context_id, address
), listed as (
  select * from sums where place <= $1
), newest as (
  select distinct on (context_id, address) context_id, address, sampling_rates,
    clock_ahead_seconds, doubts,
    case when ended_at is null then waiting_for_template else 0 end as waiting_for_template
  from runs join listed using (context_id, address)
  order by context_id, address, runs.started_at desc, runs.feed_id
), spoken as (
  select context_id, address, array_agg(distinct protocol order by protocol) as protocols
  from runs join listed using (context_id, address), unnest(protocols) as p (protocol)
  group by context_id, address
), refusals as (
  select context_id, address, jsonb_object_agg(reason, count) as refused
  from (
    select context_id, address, reason, sum(count::bigint)::float8 as count
    from runs join listed using (context_id, address),
      jsonb_each_text(refused) as r (reason, count)
    group by context_id, address, reason
  ) of_reasons
  group by context_id, address
)
select context_id as "contextId", c.name as context, address,
  coalesce(s.protocols, '{}') as protocols,
  extract(epoch from l.first_seen)::float8 as "firstSeen",
  extract(epoch from l.last_seen)::float8 as "lastSeen", l.flows::float8 as flows,
  l.lost_flows::float8 as "lostFlows", l.lost_packets::float8 as "lostPackets",
  l.lost_datagrams::float8 as "lostDatagrams", coalesce(r.refused, '{}') as refused,
  n.waiting_for_template as "waitingForTemplate",
  n.sampling_rates::float8[] as "samplingRates", n.clock_ahead_seconds as "clockAheadSeconds",
  n.doubts
from listed l join contexts c using (context_id) join newest n using (context_id, address)
  left join spoken s using (context_id, address)
  left join refusals r using (context_id, address)
order by context_id, l.place`;
