-- Up Migration

-- The readings of a counter group over a span of time, packed, in segments that never change
-- (segments/pages/segment-writer.ts has the format). Nothing reads them yet: `samples` is the record.

create sequence segment_ids as bigint;

-- The manifest: which segments there are. Rows are written, and given the numbers at which they were
-- born and died, by the last step of the transaction that also writes the pages
-- (store/publish/publish-segments.ts), so there are no pages without a row, nor rows without pages.
create table segments (
  segment_id bigint primary key,
  context_id integer not null references contexts,
  group_id integer not null references counter_groups,
  -- 0: readings that came from no probe.
  probe_id integer not null,
  -- No foreign key: the rows of a slice that is gone stay until they are swept.
  slice_id integer not null,
  -- How often it was merged: 0 as imported, 100 sealed (domain/slices/segment-level.ts).
  level smallint not null check (level between 0 and 100),
  -- Starts of the first and the last bucket with a reading, epoch seconds.
  first_bucket bigint not null,
  last_bucket bigint not null check (last_bucket >= first_bucket),
  key_count bigint not null check (key_count > 0),
  row_count bigint not null check (row_count >= key_count),
  page_count integer not null check (page_count > 0),
  -- Of pages and directory.
  size_bytes bigint not null,
  -- Where in its pages everything lies (segments/pages/directory.ts).
  directory bytea not null,
  -- When the last of its readings were imported, whatever it was merged from since.
  imported_at timestamptz not null,
  -- The layout numbers of the context by which it came and went; died is null while it lives.
  born bigint not null,
  died bigint check (died > born),
  died_at timestamptz,
  check ((died is null) = (died_at is null))
);
alter table segments alter column directory set storage external;
-- The whole manifest; what came and what went since a number; what may be swept; what a slice has.
create index segments_live on segments (context_id) where died is null;
create index segments_by_birth on segments (context_id, born);
create index segments_by_death on segments (context_id, died) where died is not null;
create index segments_by_slice on segments (slice_id, level);

-- Pages of segments below the sealed level. They are only ever inserted: the partition of a slice is
-- dropped as a whole when all of its segments were merged into sealed ones.
create table open_segment_pages (
  slice_id integer not null,
  segment_id bigint not null,
  -- From 0.
  page integer not null,
  bytes bytea not null,
  primary key (slice_id, segment_id, page)
) partition by list (slice_id);
alter table open_segment_pages alter column bytes set storage external;

-- Pages of sealed segments, which stay as long as their slice.
create table sealed_segment_pages (
  slice_id integer not null,
  segment_id bigint not null,
  page integer not null,
  bytes bytea not null,
  primary key (slice_id, segment_id, page)
) partition by list (slice_id);
alter table sealed_segment_pages alter column bytes set storage external;

-- A context has two numbers: `version` rises with what a caller can be told, `layout` whenever
-- segments come or go, also where they only hold the same readings in another way. Segments that
-- died by `swept_to` may have left the manifest, so what died since an older number cannot be asked.
alter table context_versions
  add column layout bigint not null default 1,
  add column swept_to bigint not null default 0;

-- What was said about keys: rows only for those that were given a text. By the raw key.
create table key_texts (
  group_id integer not null references counter_groups on delete cascade,
  key text collate "C" not null,
  label text,
  -- A label of 'user' is never overwritten by one of another source.
  label_source text check (label_source in ('user', 'dns', 'mmdb')),
  description text,
  attributes jsonb,
  primary key (group_id, key),
  check ((label is null) = (label_source is null)),
  check (num_nonnulls(label, description, attributes) > 0)
);
