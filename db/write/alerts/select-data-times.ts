import type { DataTimes } from '../../../domain/alerts/windows.ts';
import type { EpochSeconds } from '../../../domain/time/interval.ts';
import type { Connection } from '../../connection/connection.ts';
import { newestBucketBy } from '../../newest-bucket.ts';

/** newestAt: the time of the first commit that brought the newest bucket. */
export type RuleDataTimes = DataTimes & {
  readonly alertId: number;
  readonly newestAt: EpochSeconds;
};

/**
 * Selects the times of each rule's data; rules without data are left out. What is ahead of the
 * database's clock counts only where all data are ahead, and what was ahead when it was committed
 * is never a sign that data arrive.
 */
export async function selectDataTimes(
  connection: Connection,
  alertIds: readonly number[],
): Promise<RuleDataTimes[]> {
  const { rows } = await connection.query<RuleDataTimes>(
    `select a.alert_id as "alertId", min(v.first_bucket)::float8 as first,
       (coalesce(max(newest.bucket), max(v.last_bucket)) + min(g.bucket_size))::float8 as end,
       coalesce(max(newest.bucket) < max(v.last_bucket), false) as "isAhead",
       floor(extract(epoch from max(v.committed_at)))::float8 as "committedAt",
       floor(extract(epoch from (array_agg(v.newest_at order by v.present_bucket desc nulls last,
         v.last_bucket desc, v.newest_at))[1]))::float8 as "newestAt"
     from alerts a join counter_groups g using (group_id) join coverage v using (group_id)
       join slices s using (slice_id) left join probes p on p.probe_id = v.probe_id
       cross join lateral (select ${newestBucketBy(PRESENT_UNTIL)} as bucket) newest
     where a.alert_id = any($1::int[]) and not s.archived and (a.probe is null or p.name = a.probe)
     group by a.alert_id`,
    [alertIds],
  );
  return rows;
}

/** SQL: the latest bucket of a group `g` that is not ahead of the database's clock. */
export const PRESENT_UNTIL =
  'floor(extract(epoch from clock_timestamp()))::bigint + g.topper_bucket_size';
