-- Up Migration

-- A row of samples is what one batch read: nothing has to be unique (ADR 2), and keeping an index
-- of all columns unique cost an import more than the rows did.
alter table samples drop constraint samples_pkey;
alter table samples drop column batch_id;
drop sequence sample_batches;

-- Existing partitions get it here, new ones before they are attached (db/write/create-partition.ts).
create index samples_by_bucket on samples (group_id, bucket);
