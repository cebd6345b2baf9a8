import type { Connection } from '../../connection/connection.ts';
import { PAGE_LOCKS, type PagePartition, pagePartitionName } from '../../page-tables.ts';

/**
 * Keeps others from removing a partition until the end of the transaction. Returns false if there
 * is none; nothing is then locked, so that it can be created on another connection.
 */
export async function keepPagePartition(
  connection: Connection,
  partition: PagePartition,
): Promise<boolean> {
  await connection.query('savepoint keep_page_partition');
  await lockPagePartition(connection, partition);
  const { rows } = await connection.query<{ isThere: boolean }>(
    `select exists (
       select from pg_inherits where inhrelid = to_regclass($1) and not inhdetachpending
     ) as "isThere"`,
    [pagePartitionName(partition)],
  );
  const isThere = rows[0]?.isThere ?? false;
  // The rollback releases the lock as well.
  if (!isThere) await connection.query('rollback to savepoint keep_page_partition');
  await connection.query('release savepoint keep_page_partition');
  return isThere;
}

/**
 * Takes the lock that keeps such a partition, existing or not, until the end of the transaction. It
 * is a separate statement, because a statement that waits sees what existed before it waited.
 */
export const lockPagePartition = (connection: Connection, partition: PagePartition) =>
  connection.query('select pg_advisory_xact_lock_shared($1, hashtext($2))', [
    PAGE_LOCKS[partition.table].partition,
    pagePartitionName(partition),
  ]);
