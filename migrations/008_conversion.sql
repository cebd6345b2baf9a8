-- Up Migration

-- What versions up to 0.7 stored, in samples, keys and what is derived from them, becomes segments
-- slice by slice (store/convert/convert-database.ts). These rows say what is done, each written in
-- the transaction that does it.
create table converted_slices (
  slice_id integer primary key references slices on delete cascade,
  converted_at timestamptz not null default now()
);

-- Contexts whose labels, descriptions and attributes are in key_texts.
create table converted_texts (
  context_id integer primary key references contexts on delete cascade,
  converted_at timestamptz not null default now()
);

-- For the triggers that the conversion puts on the old tables. A feed of the old version that still
-- runs is to fail, and not to write where nobody reads any more.
create function refuse_old_writes() returns trigger language plpgsql as $$
begin
  raise exception using
    errcode = 'object_not_in_prerequisite_state',
    message = format('countergraph 0.8.0 has taken over this database, and table %s takes no more '
      'writes: an older version must not write to it', tg_table_name),
    hint = 'Stop the older version, install 0.8.0 or newer in its place, and start it again.';
end $$;
