import type { Connection } from '../../connection/connection.ts';
import { PAGE_LOCKS, type PagePartition, pagePartitionName } from '../../page-tables.ts';
import { requireSession } from '../require-session.ts';

/**
 * Keeps others from removing a partition, from before it is created until the returned function is
 * called: for several consecutive transactions.
 */
export async function holdPagePartition(
  connection: Connection,
  partition: PagePartition,
): Promise<() => Promise<void>> {
  requireSession(connection, 'Slices cannot be restored');
  const values = [PAGE_LOCKS[partition.table].partition, pagePartitionName(partition)];
  await connection.query('select pg_advisory_lock_shared($1, hashtext($2))', values);
  return async () => {
    await connection.query('select pg_advisory_unlock_shared($1, hashtext($2))', values);
  };
}
