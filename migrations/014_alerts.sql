-- Up Migration

-- When the last readings of a group and probe in a slice were committed, and when its newest bucket
-- was: alerts wait for late data by the first, and `silent_seconds` goes by the second.
alter table coverage
  add column committed_at timestamptz not null default now(),
  add column newest_at timestamptz not null default now();
update coverage c set committed_at = s.imported_at, newest_at = s.imported_at
from (
  select slice_id, group_id, probe_id, max(imported_at) as imported_at from segments
  where died is null and sources is null group by slice_id, group_id, probe_id
) s
where (s.slice_id, s.group_id, s.probe_id) = (c.slice_id, c.group_id, c.probe_id);

-- A row is a revision of a rule. A rule that is declared in another way is a new row, and the old one
-- is superseded; it stays while there are events that it decided.
create table alerts (
  alert_id integer generated always as identity primary key,
  context_id integer not null references contexts on delete cascade,
  name text collate "C" not null,
  -- The ids of events follow from it.
  revision uuid not null unique default gen_random_uuid(),
  group_id integer not null references counter_groups on delete cascade,
  meter_id integer not null,
  window_seconds integer not null check (window_seconds > 0),
  condition text not null check (condition in ('key_above', 'key_share_above', 'key_in_top',
    'key_grows_by', 'key_new_above', 'total_above', 'total_below', 'silent_seconds')),
  threshold numeric not null,
  -- As KeyFilterInput; null: all keys.
  filter jsonb,
  -- The probe's name, as it may come later than the rule; null: all readings.
  probe text collate "C",
  for_windows integer not null check (for_windows > 0),
  clear_windows integer not null check (clear_windows > 0),
  severity text not null,
  description text,
  max_keys integer not null check (max_keys > 0),
  enabled boolean not null,
  created_at timestamptz not null default now(),
  superseded_at timestamptz,
  -- The rule begins with the first window that ends after this time: the end of the data that there
  -- were when it was applied; null: there were none, and there are none yet.
  begins_after bigint,
  -- The end of the last window that was decided; null: none was.
  evaluated_to bigint,
  -- How many windows in a row keys have met the condition, or not (domain/alerts/decide-windows.ts).
  streaks jsonb not null default '{}',
  foreign key (group_id, meter_id) references meters on delete cascade
);
create unique index alerts_by_name on alerts (context_id, name) where superseded_at is null;

create table alert_events (
  -- Follows from revision, key and started_at (server/alerts/event-id.ts).
  event_id uuid primary key,
  alert_id integer not null references alerts on delete cascade,
  context_id integer not null references contexts on delete cascade,
  -- null: it is about the whole group.
  key text collate "C",
  started_at bigint not null,
  -- null: it is firing.
  ended_at bigint check (ended_at >= started_at),
  value numeric not null,
  peak_value numeric not null
);
-- Newest first, of a context and of a revision.
create index alert_events_by_start on alert_events (context_id, started_at desc, event_id);
create index alert_events_by_alert on alert_events (alert_id, started_at desc, event_id);
-- Nothing fires twice at once.
create unique index alert_events_firing on alert_events (alert_id, key) nulls not distinct
  where ended_at is null;

-- Whom events are told to. Addresses and secrets may be in the sender's environment.
create table alert_sinks (
  sink_id integer generated always as identity primary key,
  context_id integer not null references contexts on delete cascade,
  name text collate "C" not null,
  kind text not null check (kind in ('webhook', 'alertmanager')),
  url text,
  url_env text,
  secret_env text,
  unique (context_id, name),
  check (num_nonnulls(url, url_env) = 1),
  check (secret_env is null or kind = 'webhook')
);

-- What is to be told to whom: written by the transaction that begins or ends the event.
create table alert_deliveries (
  event_id uuid not null references alert_events on delete cascade,
  sink_id integer not null references alert_sinks on delete cascade,
  change text not null check (change in ('began', 'ended')),
  attempts integer not null default 0,
  due_at timestamptz not null default now(),
  created_at timestamptz not null default now(),
  delivered_at timestamptz,
  given_up_at timestamptz,
  primary key (event_id, sink_id, change)
);
create index alert_deliveries_due on alert_deliveries (due_at)
  where delivered_at is null and given_up_at is null;
create index alert_deliveries_by_sink on alert_deliveries (sink_id);
