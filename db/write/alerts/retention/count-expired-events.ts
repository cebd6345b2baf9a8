import type { EpochSeconds } from '../../../../domain/time/interval.ts';
import type { Connection } from '../../../connection/connection.ts';
import { EXPIRED_EVENTS } from './expired-events.ts';

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
