-- Up Migration

-- What an import has read, so that a file that has grown since is recognized: the number of bytes, and
-- the SHA-256 of its head (ingest/files/content-print.ts). Null in imports of before this migration.
alter table imports
  add column length bigint,
  add column head bytea check (octet_length(head) = 32),
  add constraint imports_has_head check ((length is null) = (head is null));

create index imports_by_head on imports (context_id, head) where head is not null;

-- When a label from DNS was answered, in microseconds since the epoch; null: another label, or one of
-- before this migration.
alter table key_texts add column answered_us bigint;
