import type { Connection } from '../../../connection/connection.ts';
import { MAY_KEEP } from '../../select-upkeep.ts';
import { KEPT_SINCE } from '../../slices/select-kept-since.ts';
import type { Retention } from '../../slices/select-retentions.ts';

/**
 * Selects the contexts with events that are older than they keep them; none if this
 * role cannot drop anything here.
 */
export async function selectEventRetentions(connection: Connection): Promise<Retention[]> {
  const { rows } = await connection.query<Retention>(
    `select c.context_id as "contextId", c.name, c.retention_days as "retentionDays",
       kept.since::float8 as "keptSince"
     from contexts c cross join lateral (select ${KEPT_SINCE} as since offset 0) kept
     where ${MAY_KEEP} and c.retention_days is not null
       and exists (select from alert_events e where e.context_id = c.context_id
         and e.started_at <= kept.since and e.ended_at <= kept.since)
     order by c.context_id`,
  );
  return rows;
}
