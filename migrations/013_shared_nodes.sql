-- Up Migration

-- Whether a replica may answer requests that name no node (docs/adr/0015-shared-standbys.md).
alter table nodes add column share boolean not null default false
  check (not share or role = 'replica');

-- Drawn anew with each version. The same number under two nonces is of two histories: a standby
-- that did not follow when another one was promoted counts on in the same way.
create function draw_nonce() returns bigint language sql volatile as $$
  select floor(random() * 9007199254740992)::bigint
$$;
alter table context_versions add column nonce bigint not null default draw_nonce();
alter table text_versions add column nonce bigint not null default draw_nonce();

create function draw_nonce_of_version() returns trigger language plpgsql as $$
begin
  new.nonce := draw_nonce();
  return new;
end $$;
create trigger draw_nonce before update of version on context_versions
  for each row execute function draw_nonce_of_version();
create trigger draw_nonce before update of version on text_versions
  for each row execute function draw_nonce_of_version();
