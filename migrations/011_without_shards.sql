-- Up Migration

-- Segments have keys of their own, which need no number, and nothing is packed after it was imported.
alter table counter_groups drop column shard_count;
alter table slices drop column packed;
