import type { EpochSeconds } from '../../../domain/time/interval.ts';
import type { Connection } from '../../connection/connection.ts';
import { MAY_KEEP } from '../select-upkeep.ts';
import { KEPT_SINCE } from './select-kept-since.ts';

/** A context with something to drop. */
export type Retention = {
  contextId: number;
  name: string;
  retentionDays: number;
  /** What ended by then is older than the context keeps it. */
  keptSince: EpochSeconds;
};

/**
 * Selects the contexts with slices that are older than they keep them; none if this
 * role cannot drop anything here.
 */
export async function selectRetentions(connection: Connection): Promise<Retention[]> {
  const { rows } = await connection.query<Retention>(
    `select c.context_id as "contextId", c.name, c.retention_days as "retentionDays",
       kept.since::float8 as "keptSince"
     from contexts c cross join lateral (select ${KEPT_SINCE} as since offset 0) kept
     where ${MAY_KEEP} and c.retention_days is not null
       and exists (select from slices s
         where s.context_id = c.context_id and s.ends_at <= kept.since)
     order by c.context_id`,
  );
  return rows;
}
