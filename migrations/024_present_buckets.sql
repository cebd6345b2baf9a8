-- Up Migration

-- A flow whose clock is ahead must not be the newest data of everybody. present_bucket is the newest
-- bucket that was not ahead of the database's clock when it was committed, and newest_at the time
-- of the first commit that brought it; null: there is none. ahead_buckets are those that were ahead,
-- the newest of each topper bucket: in time they become the newest, each in its turn.
alter table coverage add column present_bucket bigint, add column ahead_buckets bigint[];
update coverage set present_bucket = last_bucket
where last_bucket <= extract(epoch from now());
