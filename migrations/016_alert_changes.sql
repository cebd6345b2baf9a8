-- Each beginning and end of an event, for those who follow alerts. Numbers of a context never repeat,
-- and become visible in their order: whoever draws one holds the row of the counter until it commits.
create table alert_change_counters (
  context_id integer primary key references contexts on delete cascade,
  last bigint not null,
  -- Drawn anew with each transaction, as those of versions are (migration 013): a number that was
  -- seen with another nonce is of commits that a failover or a restore has lost.
  nonce bigint not null,
  -- That of the transaction before.
  nonce_before bigint not null
);

create table alert_changes (
  context_id integer not null references contexts on delete cascade,
  number bigint not null,
  -- What the counter had when this was inserted. Whoever was told of the number before knows one of
  -- them, also where the event of that number has been dropped since.
  nonce bigint not null,
  nonce_before bigint not null,
  event_id uuid not null references alert_events on delete cascade,
  change text not null check (change in ('began', 'ended')),
  primary key (context_id, number)
);
-- They go with their events.
create index alert_changes_by_event on alert_changes (event_id);
