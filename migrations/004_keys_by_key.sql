-- Up Migration

-- A filter by prefix reads the ids of a range of keys from the index alone.

create unique index keys_by_key_with_id on keys (group_id, key, shard) include (key_id);
drop index keys_by_key;
alter index keys_by_key_with_id rename to keys_by_key;
