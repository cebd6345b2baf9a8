import { NOTIFICATION_LOCK } from '../../advisory-locks.ts';
import type { Connection } from '../../connection/connection.ts';
import { MAY_KEEP } from '../select-upkeep.ts';

/**
 * Tries to take the lock of the server that notifies sinks, for as long as the connection lasts.
 */
export async function tryLockNotifications(connection: Connection): Promise<boolean> {
  const { rows } = await connection.query<{ locked: boolean }>(
    `select ${MAY_KEEP} and pg_try_advisory_lock($1, 0) as locked`,
    [NOTIFICATION_LOCK],
  );
  return rows[0]?.locked ?? false;
}
