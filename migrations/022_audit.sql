-- Up Migration

-- Who changed what, and who failed to sign in (docs/how-to/audit.md). A row is written in the
-- transaction of the change that it tells of, and holds no secrets.
create table audit (
  audit_id bigint generated always as identity primary key,
  at timestamptz not null default now(),
  -- null: failed sign-ins with more names, or from more addresses, than are told apart.
  username text,
  -- The address of the caller, or the host on which a command ran.
  came_from text,
  action text not null,
  object text not null,
  detail jsonb not null default '{}',
  -- Whether a server has written it to its log.
  is_logged boolean not null default false
);
create index audit_by_time on audit (at, audit_id);
create index audit_not_logged on audit (audit_id) where not is_logged;
-- One row a minute for each name and address; `detail` has their number.
create unique index audit_failed_sign_ins
  on audit (at, coalesce(username, ''), coalesce(came_from, '')) where action = 'sign-in failed';

-- Chosen tokens are kept under scrypt: `digest` is scrypt(SHA-256 of the token, salt) with this cost
-- (N), r = 8 and p = 1. Generated tokens have 256 random bits, and are kept as their SHA-256.
alter table tokens
  add column salt bytea check (octet_length(salt) = 16),
  add column scrypt_cost integer check (scrypt_cost between 2 and 1048576),
  add constraint tokens_are_whole check ((salt is null) = (scrypt_cost is null));
