import type { AlertRule } from '../../../domain/alerts/rule.ts';
import type { Connection } from '../../connection/connection.ts';
import { newestBucketBy } from '../../newest-bucket.ts';
import { PRESENT_UNTIL } from './select-data-times.ts';

/**
 * Inserts a revision of a rule, which begins after the present data. Data ahead of the clock are
 * not present, unless all are ahead.
 */
export async function insertAlert(
  connection: Connection,
  contextId: number,
  rule: AlertRule,
): Promise<void> {
  await connection.query(
    `insert into alerts (context_id, name, group_id, meter_id, window_seconds, condition, threshold,
       filter, probe, for_windows, clear_windows, severity, description, max_keys, enabled,
       begins_after)
     values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, (
       select coalesce(max(${newestBucketBy(PRESENT_UNTIL)}), max(v.last_bucket))
         + min(g.bucket_size)
       from coverage v join slices s using (slice_id) join counter_groups g using (group_id)
         left join probes p on p.probe_id = v.probe_id
       where v.group_id = $3 and not s.archived and ($9::text is null or p.name = $9)))`,
    [
      contextId,
      rule.name,
      rule.groupId,
      rule.meterId,
      rule.windowSeconds,
      rule.when.condition,
      rule.when.threshold,
      rule.filter && JSON.stringify(rule.filter),
      rule.probe,
      rule.forWindows,
      rule.clearWindows,
      rule.severity,
      rule.description,
      rule.maxKeys,
      rule.enabled,
    ],
  );
}
