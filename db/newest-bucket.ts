/**
 * SQL: the newest bucket of a row `v` of coverage that is not later than `limit`; null: none is.
 * Rows that were written before buckets ahead of the clock were noted tell only their first bucket.
 */
export const newestBucketBy = (limit: string): string => `case
  when v.last_bucket <= ${limit} then v.last_bucket
  when v.first_bucket <= ${limit} then (
    select max(bucket) from unnest(v.ahead_buckets || v.present_bucket || v.first_bucket) bucket
    where bucket <= ${limit}) end`;
