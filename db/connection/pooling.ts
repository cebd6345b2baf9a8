import type pg from 'pg';
import { LIMITS } from '../../domain/limits.ts';
import { announcedPid, selectBackendPid } from './backend-pid.ts';

/**
 * What stands between a connection and the server. transaction: a pooler that may give each of its
 * transactions to another server process, so that nothing lasts from one to the next.
 */
export type Pooling = 'none' | 'session' | 'transaction';

/** What to do about work that no pooler in transaction mode can be trusted with. */
export const NEEDS_SESSION =
  'the database is behind a pooler in transaction mode, which would lose the locks that keep others ' +
  "away; set DATABASE_URL to the database's own address, or pool_mode=session in PgBouncer";

/** How often it is tried; each time finds out about nearly every pooler in transaction mode. */
const ROUNDS = 3;

/**
 * Finds out which it is. `openAnother` gives a second connection, which is asked for only if there
 * is a pooler: one process that has worked for both, or two that have worked for one, tell its
 * mode. Most poolers use the process that was free last, so that both meet it; where the processes
 * take turns, two statements in a row meet two.
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
    // It has to wait for a process, or cannot connect: what is not known must not be relied on.
    return 'transaction';
  } finally {
    // Where it is still waiting, nobody waits for it.
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
