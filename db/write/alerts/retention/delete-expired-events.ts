import type { EpochSeconds } from '../../../../domain/time/interval.ts';
import type { Connection } from '../../../connection/connection.ts';
import { EXPIRED_EVENTS } from './expired-events.ts';

export type ExpiredEvents = {
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
