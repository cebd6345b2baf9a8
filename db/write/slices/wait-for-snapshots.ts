import { setTimeout as delay } from 'node:timers/promises';
import { LIMITS } from '../../../domain/limits.ts';
import type { Connection } from '../../connection/connection.ts';
import { isSessionOfUser } from '../../session-kinds.ts';

/**
 * Waits until all transactions that see the database as it was before this moment are over, or have
 * taken a new snapshot. Does not wait for new transactions, and locks nobody out. Returns false if
 * `waitMs` passed first.
 *
 * DETACH … CONCURRENTLY itself waits only for transactions that have already used the table of
 * pages. A transaction that began before a slice was removed, and reads its pages later, would miss
 * them.
 */
export async function waitForSnapshots(
  connection: Connection,
  { waitMs, signal }: { waitMs: number; signal?: AbortSignal | undefined },
): Promise<boolean> {
  const until = performance.now() + waitMs;
  let waitedFor = await selectSnapshots(connection);
  // A transaction that has ended tells new snapshots of other roles from these.
  if (waitedFor.size > 0) await connection.query('select pg_current_xact_id()');
  while (waitedFor.size > 0) {
    if (performance.now() >= until) return false;
    await delay(LIMITS.detachCheckMs, undefined, { signal });
    const still = await selectSnapshots(connection);
    waitedFor = new Set([...waitedFor].filter((holder) => still.has(holder)));
  }
  return true;
}

/**
 * Selects the transactions that hold a snapshot, by process and start, because a process has one at
 * a time. Of sessions of other roles, PostgreSQL shows only the oldest transaction that the
 * snapshot sees as running: while that one runs, their new snapshots cannot be told from the old.
 */
async function selectSnapshots(connection: Connection): Promise<Set<string>> {
  const { rows } = await connection.query<{ holder: string }>(
    `select pid || ' ' || coalesce(xact_start::text, backend_xmin::text) as holder
     from pg_stat_activity a
     where datname = current_database() and ${isSessionOfUser('a')}
       and backend_xmin is not null and pid <> pg_backend_pid()`,
  );
  return new Set(rows.map(({ holder }) => holder));
}
