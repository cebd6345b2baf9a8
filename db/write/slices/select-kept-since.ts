import type { EpochSeconds } from '../../../domain/time/interval.ts';
import type { Connection } from '../../connection/connection.ts';
import { newestBucketBy } from '../../newest-bucket.ts';

/**
 * SQL, for a context `c`: the time by which its slices and alert events must have ended to be older
 * than it keeps them; null if it has no data.
 *
 * Whatever drops data by itself counts by the database's clock, but never past the newest bucket:
 * after a leap of the clock, or once a feed has ended, what is there stays. A bucket that is more
 * than a topper bucket ahead of the clock comes from a wrong clock itself, so it does not count.
 * Archived slices have no coverage: they have data from their starts on.
 */
export const KEPT_SINCE = `(
  select least(max(newest.bucket), clock.seconds) - 86400::bigint * c.retention_days
  from (select floor(extract(epoch from clock_timestamp()))::bigint as seconds) clock
  cross join lateral (
    select ${newestBucketBy('clock.seconds + g.topper_bucket_size')} as bucket
    from counter_groups g join coverage v using (group_id)
    where g.context_id = c.context_id
    union all
    select s.starts_at from slices s
    where s.context_id = c.context_id and s.archived and s.starts_at <= clock.seconds
  ) newest
  group by clock.seconds)`;

/** Selects what a running server drops of a context: what ended by then. null: nothing. */
export async function selectKeptSince(
  connection: Connection,
  contextId: number,
): Promise<EpochSeconds | null> {
  const { rows } = await connection.query<{ keptSince: number | null }>(
    `select ${KEPT_SINCE}::float8 as "keptSince" from contexts c where c.context_id = $1`,
    [contextId],
  );
  return rows[0]?.keptSince ?? null;
}
