-- Up Migration

-- What a collector knows of the exporters that it hears, a row for each of them and run of a feed.
-- It is written with the feed's commits, and says how things were at the last of them.
--
-- A run names at most 1,000 exporters, however many addresses forged datagrams bear. Of runs that
-- are over, a server keeps one row for each exporter, and as many in all: db/sql/exporter-retention.ts.
create table exporters (
  feed_id uuid not null references feeds on delete cascade,
  address text collate "C" not null,
  -- Of netflow5, netflow9, ipfix and sflow.
  protocols text[] not null,
  first_seen timestamptz not null,
  last_seen timestamptz not null,
  -- Flows that it reported and that were read.
  flows bigint not null,
  -- What it sent and the collector did not receive, in what each protocol counts.
  lost_flows bigint not null,
  lost_packets bigint not null,
  lost_datagrams bigint not null,
  -- How much was refused, by reason.
  refused jsonb not null check (jsonb_typeof(refused) = 'object'),
  -- Datagrams that wait for their template.
  waiting_for_template integer not null,
  -- Those in use; 1: not sampled.
  sampling_rates bigint[] not null,
  -- How far its clock is ahead of the collector's, negative if it is behind; null: unknown.
  clock_ahead_seconds float8,
  -- What is doubtful about its sampling or clock, in words.
  doubts text[] not null,
  primary key (feed_id, address)
);
