-- Up Migration

-- Names that a database of addresses gives ('mmdb') are overwritten by nothing but its next issue,
-- and never overwrite what users gave.
alter table keys drop constraint keys_label_source_check;
alter table keys add constraint keys_label_source_check
  check (label_source in ('user', 'dns', 'mmdb'));

-- Feeds without end (`import --follow`), a row for each run of one. Every commit of a feed writes its
-- number here, in the same transaction: whether a commit whose answer was lost has happened can be
-- told from this row, and so nothing is lost and nothing written twice (ADR 11).
create table feeds (
  feed_id uuid primary key,
  context_id integer not null references contexts on delete cascade,
  format text not null,
  started_at timestamptz not null,
  -- Number of the last commit, from 1.
  commits bigint not null,
  flows bigint not null,
  -- When the newest of these flows ended, in microseconds since the epoch.
  newest_us bigint not null,
  committed_at timestamptz not null default now()
);
create index feeds_by_context on feeds (context_id, committed_at);
