import type pg from 'pg';
import { LIMITS } from '../../domain/limits.ts';
import { announcedPid, selectBackendPid } from './backend-pid.ts';

/**
 * What is between a connection and the server. transaction: a pooler that may run each transaction
 * in another server process, so that no session state lasts from one transaction to the next.
 */
export type Pooling = 'none' | 'session' | 'transaction';

/** Advice for work that is not safe behind a pooler in transaction mode. */
export const NEEDS_SESSION =
  'the database is behind a pooler in transaction mode, which would lose locks that exclude other ' +
  "processes; set DATABASE_URL to the database's own address, or pool_mode=session in PgBouncer";

/** Number of tries. Each one detects nearly every pooler in transaction mode. */
const ROUNDS = 3;

/**
 * Detects the kind of pooling. `openAnother` opens a second connection, and is called only if there
 * is a pooler. The mode is transaction if one process has worked for both connections, or two
 * processes have worked for one. Most poolers use the process that became free last, so that both
 * connections get it; if the processes take turns, two statements in a row get two of them.
 */
export async function findPooling(
  client: pg.ClientBase,
  openAnother: () => Promise<pg.Client>,
): Promise<Pooling> {
  const pid = await selectBackendPid(client, LIMITS.poolerWaitMs);
  if (pid === announcedPid(client)) return 'none';
  const another = await openAnother();
  try {
    return await comparePids(client, another, pid);
  } catch {
    // The second connection has to wait for a process, or was lost: do not rely on what is unknown.
    return 'transaction';
  } finally {
    // It may still be waiting for a process; do not wait for it.
    another.end().catch(() => undefined);
  }
}

async function comparePids(
  client: pg.ClientBase,
  another: pg.Client,
  first: number | null,
): Promise<Pooling> {
  const seen = new Set([first]);
  const others = new Set<number | null>();
  for (let round = 0; round < ROUNDS; round += 1) {
    others.add(await selectBackendPid(another, LIMITS.connectTimeoutMs));
    seen.add(await selectBackendPid(client, LIMITS.connectTimeoutMs));
    seen.add(await selectBackendPid(client, LIMITS.connectTimeoutMs));
    const isShared = [...others].some((pid) => seen.has(pid));
    if (isShared || seen.size > 1 || others.size > 1) return 'transaction';
  }
  return 'session';
}
