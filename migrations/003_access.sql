-- Up Migration

-- A group of an identity provider is a user without tokens: what is granted to it is granted to all
-- whom the provider counts among it. Groups and people have names of their own.
--
-- issuer, subject: the person of an identity provider that the user is. shown_name: what the
-- provider calls this person. is_admin: whether they manage users, tokens and contexts.
alter table users
  drop constraint users_username_key,
  add column is_group boolean not null default false,
  add column is_admin boolean not null default false,
  add column issuer text,
  add column subject text collate "C",
  add column shown_name text,
  add constraint users_by_name unique (username, is_group),
  add constraint users_by_subject unique (issuer, subject),
  add constraint subjects_are_whole check ((issuer is null) = (subject is null)),
  add constraint groups_are_no_people check (not (is_group and subject is not null));

-- A user has several tokens, each with a name, at most one of them chosen by a person.
-- last_used_at: to the minute or so.
alter table tokens
  drop constraint tokens_pkey,
  add column name text collate "C" not null default 'default',
  add column expires_at timestamptz,
  add column last_used_at timestamptz,
  add primary key (user_id, name);
create unique index tokens_one_chosen on tokens (user_id) where salt is not null;

-- What of a context is granted; null: all of it.
alter table grants
  add column only_networks cidr[] check (cardinality(only_networks) between 1 and 1000),
  add column only_probes text[] check (cardinality(only_probes) between 1 and 1000),
  add column only_groups uuid[] check (cardinality(only_groups) between 1 and 1000);

-- A session begins with a token, or at an identity provider: then `issuer` and `subject` say who
-- signed in, and must still be those of its user, and `groups` are those that the provider named.
alter table sessions
  alter column token_digest drop not null,
  add column issuer text,
  add column subject text collate "C",
  add column groups text[] not null default '{}',
  add constraint sessions_have_one_origin
    check (num_nonnulls(token_digest, subject) = 1 and (issuer is null) = (subject is null));
