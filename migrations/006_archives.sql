-- Up Migration

-- The samples of an archived slice are in a file: archive_path says where it lies in the folder of
-- its pool, and archive_digest what it must hold (SHA-256 of the file). Without archive_digest the
-- slice was put away by hand, and archive_path is what somebody wrote down.
alter table slices
  add column archive_pool text collate "C",
  add column archive_digest bytea check (octet_length(archive_digest) = 32),
  add column archive_bytes bigint check (archive_bytes >= 0),
  add column archive_rows bigint check (archive_rows >= 0),
  add column archived_at timestamptz,
  add check (archive_digest is null or archived
    and num_nulls(archive_pool, archive_path, archive_bytes, archive_rows, archived_at) = 0),
  add foreign key (context_id, archive_pool) references pools;

-- Files of pools that no slice names: one that is being written now, or one to be removed. Written
-- down before the file is made, and in the transaction that needs it no more, so that none is
-- forgotten wherever the work is cut off.
create table archive_leftovers (
  context_id integer not null references contexts on delete cascade,
  pool text collate "C" not null,
  path text collate "C" not null,
  primary key (context_id, pool, path),
  foreign key (context_id, pool) references pools on delete cascade
);
