-- Who follows a context live is told of each commit that changes its data or its texts: one notice a
-- transaction and context, as PostgreSQL drops repeated ones. The payload is the context's id; what
-- the versions are is for the listener to read. Merging raises the layout alone, and tells nobody.

create function notify_version() returns trigger language plpgsql as $$
begin
  perform pg_notify('countergraph_versions', new.context_id::text);
  return null;
end $$;
create trigger notify_version after update of version on context_versions
  for each row when (old.version is distinct from new.version) execute function notify_version();
create trigger notify_version after update of version on text_versions
  for each row when (old.version is distinct from new.version) execute function notify_version();
