-- Up Migration

-- The group whose keys this group's keys are: texts and drill-downs are that group's. Its own keys
-- are its own, so that there are no chains; `apply` sees to that. null: they are keys of this group.
alter table counter_groups
  add column keys_of integer references counter_groups on delete set null;
