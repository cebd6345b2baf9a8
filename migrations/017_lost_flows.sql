-- Up Migration

-- What a feed refused and what exporters sent that no line of it tells of, from its start on. It is
-- written with the feed's commits, as its flows are, and so is never counted twice (ADR 19).
alter table feeds
  add column refused_lines bigint not null default 0,
  -- Flows of archived slices.
  add column left_out_flows bigint not null default 0,
  -- In what each protocol counts: flow records, packets of NetFlow v9, datagrams of sFlow.
  add column lost_flows bigint not null default 0,
  add column lost_packets bigint not null default 0,
  add column lost_datagrams bigint not null default 0;

-- The same by the slice that was being filled when it was noticed, of all feeds.
create table slice_losses (
  slice_id integer primary key references slices on delete cascade,
  refused_lines bigint not null default 0,
  left_out_flows bigint not null default 0,
  lost_flows bigint not null default 0,
  lost_packets bigint not null default 0,
  lost_datagrams bigint not null default 0
);
