-- Up Migration

-- Everything in this file is derived from samples: `countergraph verify` compares, `rebuild` makes
-- it anew.

-- The readings of all keys of a shard, packed: a row is a run of blocks of one resolution that
-- follow each other (topk/packed-run.ts has the form of data). Up to an hour a block belongs to a
-- slice and is written with its samples; one of these that is not there has no readings. Longer
-- ones are of all slices together, have slice_id 0, and hold only while coarse_blocks names them.
create table topper_blocks (
  group_id integer not null,
  -- Seconds of one block.
  level integer not null,
  -- Starts of the first and the last block of the run.
  start bigint not null,
  shard smallint not null,
  probe_id integer not null,
  slice_id integer not null,
  last bigint not null,
  -- Where each part of data ends: the keys, then the readings of slot 1, 2, …
  ends integer[] not null,
  data bytea not null,
  primary key (group_id, level, start, shard, probe_id, slice_id)
);
-- Packed already: stored as it is, a part of it can be read without the rest.
alter table topper_blocks alter column data set storage external;

-- The same readings by key: a row is a page of keys that follow each other, of each its readings by
-- topper bucket. Here start and last are key ids, −1 standing for the whole group, and the
-- "blocks" of the packed form are keys; level is the group's topper bucket.
create table key_series (
  group_id integer not null,
  level integer not null,
  start integer not null,
  shard smallint not null,
  probe_id integer not null,
  slice_id integer not null,
  last integer not null,
  ends integer[] not null,
  data bytea not null,
  primary key (group_id, slice_id, probe_id, shard, start)
);
alter table key_series alter column data set storage external;

-- The blocks of a day and more that are whole, and the slices they were made of. An import takes out
-- those it makes stale; one that names other slices than those that are there is not used either.
create table coarse_blocks (
  group_id integer not null references counter_groups on delete cascade,
  level integer not null,
  start bigint not null,
  probe_id integer not null,
  slice_ids integer[] not null,
  primary key (group_id, level, start, probe_id)
);

-- Whether all samples of the slice are in blocks too. Slices of before there were blocks are read
-- from samples until `rebuild` or the server in the background has packed them.
alter table slices add column packed boolean not null default false;

-- What the server remembers of a context between requests it remembers by this number, which every
-- transaction that changes any of it raises when it commits. `texts` is the same for labels.
create table context_versions (
  context_id integer primary key references contexts on delete cascade,
  version bigint not null default 1,
  raised_by xid8
);
create table text_versions (
  context_id integer primary key references contexts on delete cascade,
  version bigint not null default 1
);
insert into context_versions (context_id) select context_id from contexts;
insert into text_versions (context_id) select context_id from contexts;

-- Which blocks a version changed: those of the group that meet the interval.
create table block_changes (
  context_id integer not null references contexts on delete cascade,
  version bigint not null,
  group_id integer not null,
  starts_at bigint not null,
  ends_at bigint not null
);
create index block_changes_by_version on block_changes (context_id, version);

-- Once a transaction, however often it is called: nobody waits for the row before the commit.
create function raise_context_version(changed integer) returns void language sql as $$
  update context_versions set version = version + 1, raised_by = pg_current_xact_id()
  where context_id = changed and raised_by is distinct from pg_current_xact_id()
$$;

create function add_context_versions() returns trigger language plpgsql as $$
begin
  insert into context_versions (context_id) values (new.context_id);
  insert into text_versions (context_id) values (new.context_id);
  return null;
end $$;
create trigger add_context_versions after insert on contexts
  for each row execute function add_context_versions();

create function raise_version_of_context() returns trigger language plpgsql as $$
begin
  perform raise_context_version(coalesce(new.context_id, old.context_id));
  return null;
end $$;

create function raise_version_of_group() returns trigger language plpgsql as $$
begin
  perform raise_context_version(g.context_id) from counter_groups g
    where g.group_id = coalesce(new.group_id, old.group_id);
  return null;
end $$;

create constraint trigger raise_version after update on contexts
  deferrable initially deferred for each row execute function raise_version_of_context();
create constraint trigger raise_version after insert or update or delete on counter_groups
  deferrable initially deferred for each row execute function raise_version_of_context();
create constraint trigger raise_version after insert or update or delete on probes
  deferrable initially deferred for each row execute function raise_version_of_context();
create constraint trigger raise_version after insert or update or delete on slices
  deferrable initially deferred for each row execute function raise_version_of_context();
create constraint trigger raise_version after insert or update or delete on meters
  deferrable initially deferred for each row execute function raise_version_of_group();
create constraint trigger raise_version after insert or update or delete on crosskeys
  deferrable initially deferred for each row execute function raise_version_of_group();
create constraint trigger raise_version after insert or update or delete on coverage
  deferrable initially deferred for each row execute function raise_version_of_group();
create constraint trigger raise_version after insert or update or delete on coarse_blocks
  deferrable initially deferred for each row execute function raise_version_of_group();

create function raise_text_versions() returns trigger language plpgsql as $$
begin
  update text_versions set version = version + 1 where context_id in (
    select g.context_id from counter_groups g where g.group_id in (select group_id from changed));
  return null;
end $$;
create trigger raise_text_versions after update on keys referencing new table as changed
  for each statement execute function raise_text_versions();
