-- Gives a database of the last 1.7 the schema of 001_baseline.sql. Its pages stay where they are,
-- under other names, until the segments are converted slice by slice
-- (store/from-1.7/convert-database.ts). Its roll-ups are made again by ordinary merging.

-- Waits for transactions of 1.7 that write segments: in the order in which they take these locks.
lock table only open_segment_pages, only sealed_segment_pages in access exclusive mode;
lock table segments in access exclusive mode;

alter table open_segment_pages rename to format_1_open_pages;
alter index open_segment_pages_pkey rename to format_1_open_pages_pkey;
alter table sealed_segment_pages rename to format_1_sealed_pages;
alter index sealed_segment_pages_pkey rename to format_1_sealed_pages_pkey;

create table open_segment_pages (
  slice_id integer not null,
  generation integer not null,
  segment_id bigint not null,
  page integer not null,
  bytes bytea not null,
  primary key (slice_id, generation, segment_id, page)
) partition by range (slice_id, generation);
alter table open_segment_pages alter column bytes set storage plain;

create table sealed_segment_pages (
  slice_id integer not null,
  segment_id bigint not null,
  page integer not null,
  bytes bytea not null,
  primary key (slice_id, segment_id, page)
) partition by list (slice_id);
alter table sealed_segment_pages alter column bytes set storage plain;

-- Whoever knows an older layout reads the whole manifest again.
delete from segments where sources is not null or died is not null;
update context_versions set layout = layout + 1, swept_to = layout + 1;

-- A process that still runs 1.7 fails with an error, and writes nothing that this version cannot
-- read. The first byte of a directory is the version of the segment's format.
create function refuse_format_1() returns trigger language plpgsql as $$
begin
  raise exception using
    errcode = 'object_not_in_prerequisite_state',
    message = 'countergraph 2.0.0 has taken over this database, and table segments takes no more '
      'writes of version 1: an older version must not write to it',
    hint = 'Stop the older version, install 2.0.0 or newer in its place, and start it again.';
end $$;
create trigger refuse_format_1 before insert on segments for each row
  when (substr(new.directory, 1, 1) in ('\x01', '\x02')) execute function refuse_format_1();
