-- Up Migration

-- Open pages lie by slice and generation (domain/slices/page-generation.ts): the partition of a generation
-- is dropped when what was imported within its two hours has been merged, while the slice is still
-- being filled. Generation 0 has the pages of settled segments, level 50 and up.

create temporary table moved_pages on commit drop as
select p.slice_id, floor(extract(epoch from s.imported_at) / 7200)::int as generation,
  p.segment_id, p.page, p.bytes
from open_segment_pages p join segments s using (segment_id);

drop table open_segment_pages;
create table open_segment_pages (
  slice_id integer not null,
  generation integer not null,
  segment_id bigint not null,
  -- From 0.
  page integer not null,
  bytes bytea not null,
  primary key (slice_id, generation, segment_id, page)
) partition by range (slice_id, generation);
alter table open_segment_pages alter column bytes set storage external;

do $$
declare
  moved record;
begin
  for moved in select distinct slice_id as slice, generation from moved_pages loop
    execute format(
      'create table open_segment_pages_%s_%s partition of open_segment_pages
         for values from (%s, %s) to (%s, %s) with (toast.autovacuum_enabled = false)',
      moved.slice, moved.generation, moved.slice, moved.generation, moved.slice,
      moved.generation + 1);
  end loop;
end $$;

insert into open_segment_pages (slice_id, generation, segment_id, page, bytes)
select slice_id, generation, segment_id, page, bytes from moved_pages;
