-- Up Migration

-- What the server remembers of texts goes by the context's text version, which every statement that
-- changes key_texts raises, as those that update keys have done.
create trigger raise_text_versions_on_insert after insert on key_texts
  referencing new table as changed
  for each statement execute function raise_text_versions();
create trigger raise_text_versions_on_update after update on key_texts
  referencing new table as changed
  for each statement execute function raise_text_versions();
create trigger raise_text_versions_on_delete after delete on key_texts
  referencing old table as changed
  for each statement execute function raise_text_versions();

-- Whether a group ever had readings: what they depend on cannot change any more, be it that all of
-- them are archived.
alter table counter_groups add column has_data boolean not null default false;
update counter_groups g set has_data = true
where exists (select from keys k where k.group_id = g.group_id)
  or exists (select from segments s where s.group_id = g.group_id);
