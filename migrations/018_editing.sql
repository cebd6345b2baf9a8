-- Up Migration

-- What a user may do in a context. Readers ask; editors also change what is said about its keys and
-- slices (docs/adr/0023-changes.md).
alter table grants add column role text not null default 'reader'
  check (role in ('reader', 'editor'));

-- What users call a slice. The tags `primary` and `archive` follow from where it is, and are not
-- stored. Another column than those of foreign keys, so that an import that fills the slice, which
-- refers to it, keeps nobody from tagging it.
alter table slices add column tags text[] not null default '{}'
  check (cardinality(tags) <= 20 and array_position(tags, null) is null);
