import { type Connection, inTransaction } from '../../connection/connection.ts';
import { isLockMissed, letOthersGoFirst, lockBriefly } from './brief-locks.ts';

export type DistributedDrop = {
  readonly name: string;
  /** How long to try. */
  readonly waitMs: number;
  /** Awaited before each attempt; false: not now. */
  readonly mayDrop: () => Promise<boolean>;
};

/**
 * Drops a partition of a distributed table of pages. Citus cannot detach one without locking the
 * table of pages against everyone, so the lock is requested only briefly, here and on the workers,
 * and again until `waitMs` have passed. Errors: 55P03 if it never became available.
 */
export async function dropDistributed(
  connection: Connection,
  { name, waitMs, mayDrop }: DistributedDrop,
): Promise<void> {
  const until = performance.now() + waitMs;
  while (await mayDrop()) {
    try {
      await dropNow(connection, name);
      return;
    } catch (error) {
      if (!isLockMissed(error) || performance.now() >= until) throw error;
    }
    await letOthersGoFirst();
  }
}

const dropNow = (connection: Connection, name: string): Promise<void> =>
  inTransaction(connection, async () => {
    // Citus applies the settings from here on to the workers as well.
    await connection.query("set local citus.propagate_set_commands = 'local'");
    await lockBriefly(connection);
    await connection.query(`drop table if exists ${name}`);
  });
