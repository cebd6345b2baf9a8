-- Up Migration

-- Sessions of the pages. `digest` is the SHA-256 of what the browser's cookie holds, 256 random bits.
-- A session ends with the token that began it: `token_digest` must still be that of its user.
create table sessions (
  digest bytea primary key check (octet_length(digest) = 32),
  user_id integer not null references users on delete cascade,
  token_digest bytea not null check (octet_length(token_digest) = 32),
  began_at timestamptz not null default now(),
  ends_at timestamptz not null
);
create index sessions_by_user on sessions (user_id, began_at);
create index sessions_by_end on sessions (ends_at);
