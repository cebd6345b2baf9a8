import type { EpochSeconds } from '../../domain/time/interval.ts';
import type { Connection } from '../connection/connection.ts';
import { KEPT_SINCE, type Retention } from './archived-slices.ts';
import { MAY_KEEP } from './server-state.ts';

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

/** Returns how many events of a context ended by `before` and have no deliveries waiting. */
export async function countExpiredEvents(
  connection: Connection,
  contextId: number,
  before: EpochSeconds,
): Promise<number> {
  const { rows } = await connection.query<{ count: number }>(
    `select count(*)::float8 as count from alert_events e where ${EXPIRED_EVENTS}`,
    [contextId, before],
  );
  return rows[0]?.count ?? 0;
}

type ExpiredEvents = {
  readonly contextId: number;
  /** Events that ended by this time. */
  readonly before: EpochSeconds;
  readonly most: number;
};

/** Deletes the oldest expired events with their deliveries; returns how many events. */
export async function deleteExpiredEvents(
  connection: Connection,
  { contextId, before, most }: ExpiredEvents,
): Promise<number> {
  const { rowCount } = await connection.query(
    `delete from alert_events where event_id in (
       select e.event_id from alert_events e where ${EXPIRED_EVENTS}
       order by e.started_at limit $3)`,
    [contextId, before, most],
  );
  return rowCount ?? 0;
}

/** Deletes superseded revisions of rules without events. */
export const deleteUnusedRevisions = async (
  connection: Connection,
  contextId: number,
): Promise<void> => {
  await connection.query(
    `delete from alerts a where a.context_id = $1 and a.superseded_at is not null
       and not exists (select from alert_events e where e.alert_id = a.alert_id)`,
    [contextId],
  );
};

/**
 * The condition of expired events `e` of the context $1: ended by $2, with no deliveries waiting.
 * An event starts before it ends, and stating that lets PostgreSQL use the index on the start.
 */
export const EXPIRED_EVENTS = `
  e.context_id = $1 and e.started_at <= $2 and e.ended_at <= $2
  and not exists (select from alert_deliveries d where d.event_id = e.event_id
    and d.delivered_at is null and d.given_up_at is null)`;
