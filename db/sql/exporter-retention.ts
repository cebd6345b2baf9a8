import type { Connection } from '../connection/connection.ts';

/**
 * Adds up the rows of runs that are over: each exporter of a context keeps one of them, that of the
 * newest such run, and each context those of the `most` exporters with the most flows. Otherwise
 * each restart of a collector would leave rows that every read adds up, and anybody who forges
 * addresses thousands of them.
 */
export async function foldExporters(connection: Connection, most: number): Promise<void> {
  await connection.query(FOLD_EXPORTERS);
  await connection.query(DROP_SMALLEST, [most]);
}

/**
 * The rows of runs that are over. A run that has died without a word may only have lost its
 * database, and would write its totals again; a week later it has given up.
 */
const OF_RUNS_OVER = `
exporters e join feeds f using (feed_id)
  where f.ended_at is not null or f.heard_at < now() - interval '7 days'`;

// Whoever folds at the same time waits for the rows, and then finds what is left of them.
const FOLD_EXPORTERS = `
with over as (
  select f.context_id, e.feed_id, e.address, row_number() over (
    partition by f.context_id, e.address order by f.started_at desc, e.feed_id) as age
  from ${OF_RUNS_OVER}
), older as (
  delete from exporters e using over o
  where e.feed_id = o.feed_id and e.address = o.address and o.age > 1
  returning o.context_id, e.*
), sums as (
  select context_id, address, min(first_seen) as first_seen, max(last_seen) as last_seen,
    sum(flows) as flows, sum(lost_flows) as lost_flows, sum(lost_packets) as lost_packets,
    sum(lost_datagrams) as lost_datagrams
  from older group by context_id, address
), spoken as (
  select context_id, address, array_agg(distinct protocol) as protocols
  from older, unnest(protocols) as p (protocol) group by context_id, address
), refusals as (
  select context_id, address, jsonb_object_agg(reason, count) as refused
  from (
    select context_id, address, reason, sum(count::bigint) as count
    from older, jsonb_each_text(refused) as r (reason, count) group by context_id, address, reason
  ) of_reasons
  group by context_id, address
)
update exporters e set
  protocols = array(select distinct unnest(e.protocols || p.protocols)),
  first_seen = least(e.first_seen, s.first_seen), last_seen = greatest(e.last_seen, s.last_seen),
  flows = e.flows + s.flows, lost_flows = e.lost_flows + s.lost_flows,
  lost_packets = e.lost_packets + s.lost_packets,
  lost_datagrams = e.lost_datagrams + s.lost_datagrams,
  refused = (
    select coalesce(jsonb_object_agg(reason, count), '{}') from (
      select reason, sum(count::bigint) as count
      from (select * from jsonb_each_text(e.refused) union all
        select * from jsonb_each_text(r.refused)) as both_of (reason, count)
      group by reason
    ) of_reasons
  )
from over o join sums s using (context_id, address)
  left join spoken p using (context_id, address) left join refusals r using (context_id, address)
where o.age = 1 and e.feed_id = o.feed_id and e.address = o.address`;

const DROP_SMALLEST = `
delete from exporters e using (
  select e.feed_id, e.address, row_number() over (
    partition by f.context_id order by e.flows desc, e.address) as place
  from ${OF_RUNS_OVER}
) o
where e.feed_id = o.feed_id and e.address = o.address and o.place > $1`;
