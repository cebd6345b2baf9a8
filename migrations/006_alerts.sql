-- Up Migration

-- made_by: who made the rule in the page; null: it was declared. An `apply` file changes a rule that
-- was made in the page only if it says so.
--
-- silenced_until: until then, no sink is told of events that begin. A silence belongs to the name:
-- the next revision of the rule takes it over.
alter table alerts
  add column made_by text,
  add column silenced_until timestamptz,
  add column silenced_by text,
  add column silence_reason text,
  add constraint silences_are_whole check ((silenced_until is null) = (silenced_by is null)
    and (silence_reason is null or silenced_until is not null));

-- is_held: it began in a silence, so that no sink has been told. If it is still firing when the
-- silence is over, sinks are told then; if it has ended, they never are.
--
-- acknowledged_by: who looks after it; note: what they say about it.
alter table alert_events
  add column is_held boolean not null default false,
  add column acknowledged_at timestamptz,
  add column acknowledged_by text,
  add column note text,
  add constraint acknowledgements_are_whole check (
    (acknowledged_at is null) = (acknowledged_by is null)
    and (note is null or acknowledged_at is not null));
-- What sinks are told of when a silence is over.
create index alert_events_held on alert_events (alert_id) where is_held and ended_at is null;

-- Subscribers are sent acknowledgements, too; sinks are not.
alter table alert_changes
  drop constraint alert_changes_change_check,
  add constraint alert_changes_change_check
    check (change in ('began', 'ended', 'acknowledged'));

-- The last delivery of each sink, and the last failure since.
alter table alert_sinks
  add column delivered_at timestamptz,
  add column failed_at timestamptz,
  add column failure text;

-- Whoever follows the context is told of silences, too.
drop trigger raise_version on alerts;
create constraint trigger raise_version
  after insert or update of superseded_at, made_by, silenced_until on alerts
  deferrable initially deferred for each row execute function raise_version_of_context();
