import type { Connection } from '../../connection/connection.ts';
import { PAGE_LOCKS, type PagePartition, pagePartitionName } from '../../page-tables.ts';

/**
 * Keeps others from removing a partition until the end of the transaction. False: there is none,
 * and then nothing is locked, so that it can be made on another connection.
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
  // Going back gives the lock back too.
  if (!isThere) await connection.query('rollback to savepoint keep_page_partition');
  await connection.query('release savepoint keep_page_partition');
  return isThere;
}

/**
 * Takes the lock under which such a partition stays, be it there or not, until the end of the
 * transaction. It is a statement of its own, as one that waits sees what was there before.
 */
export const lockPagePartition = (connection: Connection, partition: PagePartition) =>
  connection.query('select pg_advisory_xact_lock_shared($1, hashtext($2))', [
    PAGE_LOCKS[partition.table].partition,
    pagePartitionName(partition),
  ]);
