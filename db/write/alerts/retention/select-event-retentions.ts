import type { Connection } from '../../../connection/connection.ts';
import type { Retention } from '../../slices/select-retentions.ts';

/** Selects the contexts with events that ended before their retention period; none on a standby. */
export async function selectEventRetentions(
  connection: Connection,
  now: number,
): Promise<Retention[]> {
  const { rows } = await connection.query<Retention>(
    `select context_id as "contextId", name, retention_days as "retentionDays" from contexts c
     cross join lateral (select $1 - 86400::bigint * c.retention_days as before) kept
     where not pg_is_in_recovery() and exists (select from alert_events e
       where e.context_id = c.context_id and e.started_at <= before and e.ended_at <= before)
     order by context_id`,
    [now],
  );
  return rows;
}
