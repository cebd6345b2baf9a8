import { CONTEXT_MERGE_LOCK, PARTITION_REMOVAL_LOCK } from '../../advisory-locks.ts';
import type { Connection } from '../../connection/connection.ts';
import { PAGE_LOCKS, PAGE_TABLES } from '../../page-tables.ts';
import { lockContext } from '../lock-context.ts';

/**
 * Locks out everything that writes pages of any context or removes partitions, until the end of the
 * transaction: imports, the archiving, restoring and dropping of slices, merges. Calls `onWaiting`
 * with the name of each context before it waits for that context.
 */
export async function lockStore(
  connection: Connection,
  onWaiting: (context: string) => void,
): Promise<void> {
  const { rows } = await connection.query<{ contextId: number; name: string }>(
    'select context_id as "contextId", name from contexts order by context_id',
  );
  for (const { contextId, name } of rows) {
    await lockContext(connection, contextId, () => onWaiting(name));
    await lock(connection, CONTEXT_MERGE_LOCK, contextId);
  }
  for (const table of PAGE_TABLES) {
    await lock(connection, PARTITION_REMOVAL_LOCK, PAGE_LOCKS[table].removal);
  }
}

const lock = (connection: Connection, lockClass: number, id: number) =>
  connection.query('select pg_advisory_xact_lock($1, $2)', [lockClass, id]);
