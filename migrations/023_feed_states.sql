-- Up Migration

-- What a feed is doing, for the metrics of `serve`, which is another process. It is written with each
-- commit of the feed, of which there is one every 30 seconds even if there is nothing to commit.
alter table feeds
  -- The probe that the feed was given; null: none.
  add column probe text collate "C",
  -- Flows that were read and not committed.
  add column waiting_flows bigint not null default 0,
  -- When the newest flow that was read ended, in microseconds since the epoch; 0: unknown.
  add column read_us bigint not null default 0,
  add column heard_at timestamptz not null default now(),
  -- null: it runs, or has died.
  add column ended_at timestamptz;
-- Feeds of before this migration say nothing about themselves.
update feeds set ended_at = committed_at;
