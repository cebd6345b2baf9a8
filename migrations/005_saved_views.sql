-- Up Migration

-- Views of the dashboard that users have named, each in a context.
create table saved_views (
  view_id integer primary key generated always as identity,
  context_id integer not null references contexts on delete cascade,
  user_id integer not null references users on delete cascade,
  name text collate "C" not null,
  -- The query part of the dashboard's address, which begins with a question mark.
  address text not null check (address like '?%'),
  -- Whether other users of the context see it, too.
  shared boolean not null,
  -- Whether it follows the data once it is open.
  live boolean not null,
  created_at timestamptz not null default now(),
  changed_at timestamptz not null default now(),
  constraint saved_views_by_name unique (user_id, context_id, name)
);

create index saved_views_by_context on saved_views (context_id);

-- With which view a user opens a context: one of the user, or one that somebody shares.
create table starred_views (
  user_id integer not null references users on delete cascade,
  context_id integer not null references contexts on delete cascade,
  view_id integer not null references saved_views on delete cascade,
  primary key (user_id, context_id)
);

create index starred_views_by_view on starred_views (view_id);
