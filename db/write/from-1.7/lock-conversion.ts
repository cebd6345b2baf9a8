import { CONVERSION_LOCK } from '../../advisory-locks.ts';
import type { Connection } from '../../connection/connection.ts';

/**
 * Takes the lock for converting the database, waiting until nobody else holds it. The lock lasts
 * until the connection ends.
 */
export const lockConversion = (connection: Connection) =>
  connection.query('select pg_advisory_lock($1, 0)', [CONVERSION_LOCK]);
