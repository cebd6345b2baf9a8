import { setTimeout as delay } from 'node:timers/promises';
import { type Connection, inTransaction } from '../../connection/connection.ts';
import { errorCode } from '../../database-error.ts';

/** How long others may have to wait for a table of pages because of us. */
const LOCK_MS = 100;

/**
 * Drops a partition of a distributed table of pages. Citus cannot detach one without locking the
 * table of pages against everyone, so the lock is requested only briefly, here and on the workers,
 * and again until `waitMs` have passed. Errors: 55P03 if it never became available.
 */
export async function dropDistributed(
  connection: Connection,
  name: string,
  waitMs: number,
): Promise<void> {
  const until = performance.now() + waitMs;
  for (;;) {
    try {
      await dropNow(connection, name);
      return;
    } catch (error) {
      if (errorCode(error) !== LOCK_NOT_AVAILABLE || performance.now() >= until) throw error;
    }
    // Let those who had to wait for us go first.
    await delay(LOCK_MS);
  }
}

const LOCK_NOT_AVAILABLE = '55P03';

const dropNow = (connection: Connection, name: string): Promise<void> =>
  inTransaction(connection, async () => {
    // Citus applies the settings from here on to the workers as well.
    await connection.query("set local citus.propagate_set_commands = 'local'");
    await connection.query(`set local lock_timeout = ${LOCK_MS}`);
    await connection.query(`drop table if exists ${name}`);
  });
