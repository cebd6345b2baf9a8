import { CONTEXT_MERGE_LOCK } from '../../advisory-locks.ts';
import type { Connection } from '../../connection/connection.ts';

/** Tries to take the lock for merging a context's segments, until the end of the transaction. */
export async function tryLockMerges(connection: Connection, contextId: number): Promise<boolean> {
  const { rows } = await connection.query<{ locked: boolean }>(
    'select pg_try_advisory_xact_lock($1, $2) as locked',
    [CONTEXT_MERGE_LOCK, contextId],
  );
  return rows[0]?.locked ?? false;
}
