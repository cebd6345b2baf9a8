-- Up Migration

-- Of a roll-up (segments/roll-up/roll-up-shape.ts), which segments and roll-ups it was made of; null:
-- a segment of readings. It lives as long as all of these do. Its slice_id is 0, which no slice has,
-- and its probe_id −1 if it is of all probes.
alter table segments add column sources bigint[] check (cardinality(sources) > 1);
