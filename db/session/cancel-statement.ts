import { setTimeout as delay } from 'node:timers/promises';
import type { Pool, PoolClient } from 'pg';
import { LIMITS } from '../../domain/limits.ts';
import { destroySocket } from '../connection/end-connection.ts';
import { graceDeadline, within } from './deadline.ts';

export type RunningStatement = {
  readonly client: PoolClient;
  /** The server process that runs the statement; null: a pooler has not said which. */
  readonly pid: number | null;
  readonly running: Promise<unknown>;
};

/**
 * Cancels a statement and waits until it is over; past the grace period, terminates its process. A
 * cancel that arrives before the statement has begun is lost, so cancels are sent until the
 * statement is over. Returns false if the connection is no longer usable.
 */
export async function cancelStatement(
  control: Pool,
  { client, pid, running }: RunningStatement,
): Promise<boolean> {
  let isOver = false;
  const over = (): void => {
    isOver = true;
  };
  const settled = running.then(over, over);
  const tell = async (what: 'pg_cancel_backend' | 'pg_terminate_backend'): Promise<void> => {
    // A number that a pooler made up could be that of another client's process.
    if (pid === null) return;
    // A node that accepts no connection accepts no cancel either: the grace period decides.
    await control.query(`select ${what}($1::int)`, [pid]).catch(() => {});
  };
  const grace = graceDeadline();
  const cancelling = (async () => {
    while (!isOver && performance.now() < grace.until) {
      await tell('pg_cancel_backend');
      await Promise.race([settled, delay(LIMITS.cancelAgainMs)]);
    }
  })();
  try {
    await within(Promise.all([cancelling, settled]), grace);
    return true;
  } catch {
    // The process would keep waiting for a lock without noticing that its client has gone.
    void tell('pg_terminate_backend');
    destroySocket(client);
    await settled;
    return false;
  }
}
