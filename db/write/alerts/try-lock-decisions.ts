import { ALERT_DECISION_LOCK } from '../../advisory-locks.ts';
import type { Connection } from '../../connection/connection.ts';

/**
 * Tries to take the lock of the server that decides alerts, for as long as the connection lasts.
 */
export async function tryLockDecisions(connection: Connection): Promise<boolean> {
  const { rows } = await connection.query<{ locked: boolean }>(
    'select pg_try_advisory_lock($1, 0) as locked',
    [ALERT_DECISION_LOCK],
  );
  return rows[0]?.locked ?? false;
}
