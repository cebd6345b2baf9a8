import { PARTITION_REMOVAL_LOCK } from '../../advisory-locks.ts';
import { errorCode, isUnreachable } from '../../database-error.ts';
import { PAGE_LOCKS, PAGE_TABLES, type PageTable, pagePartitionName } from '../../page-tables.ts';
import { type Connection, isTransactionPooled } from '../connection.ts';

/** Which partitions of pages are removed. */
export type PageRemoval = {
  /** SQL that says whether the partition of a slice is needed; `slice`: SQL for its slice_id. */
  readonly isNeeded: (table: PageTable, slice: string) => string;
  /** Awaited after partitions were found and before any is removed; false: not now. */
  readonly mayRemove: () => Promise<boolean>;
  /** How long the removal may wait for whoever uses the table of pages. */
  readonly waitMs: number;
};

type UnneededRow = { sliceId: number; attached: boolean; detaching: boolean };

/**
 * Removes partitions of pages that are not needed: their disk space comes back at once, where
 * deleted rows would be written to the WAL and vacuumed. What takes longer than `waitMs` is left to
 * the next time, and so is what somebody else removes or writes to.
 */
export async function removePagePartitions(
  connection: Connection,
  removal: PageRemoval,
): Promise<void> {
  // Locks and settings would be lost from one transaction to the next.
  if (isTransactionPooled(connection)) return;
  for (const table of PAGE_TABLES) await removeFrom(connection, table, removal);
}

async function removeFrom(
  connection: Connection,
  table: PageTable,
  removal: PageRemoval,
): Promise<void> {
  const lock = PAGE_LOCKS[table].removal;
  // PostgreSQL lets only one detach be pending: another process that removes is left to do it all.
  if (!(await tryLock(connection, PARTITION_REMOVAL_LOCK, lock))) return;
  try {
    const unneeded = await selectUnneeded(connection, table, removal);
    if (unneeded.length === 0 || !(await removal.mayRemove())) return;
    await connection.query(`set statement_timeout = ${removal.waitMs}`);
    for (const each of unneeded) await removePartition(connection, { table, removal, ...each });
  } catch (error) {
    if (!isGivingUp(error)) throw error;
  } finally {
    await giveBack(async () => {
      await connection.query('set statement_timeout = 0');
      await unlock(connection, PARTITION_REMOVAL_LOCK, lock);
    });
  }
}

/** One that was half detached comes first, as no other can be detached before. */
async function selectUnneeded(
  connection: Connection,
  table: PageTable,
  { isNeeded }: PageRemoval,
): Promise<UnneededRow[]> {
  const { rows } = await connection.query<UnneededRow>(`
select p.slice_id as "sliceId", i.inhrelid is not null as attached,
  coalesce(i.inhdetachpending, false) as detaching
from (
  select oid, substr(relname, ${table.length + 2})::int as slice_id from pg_class
  where relkind = 'r' and relname ~ '^${table}_[0-9]{1,9}$'
    and relnamespace = (select relnamespace from pg_class where oid = '${table}'::regclass)
  offset 0
) p
left join pg_inherits i on i.inhrelid = p.oid and i.inhparent = '${table}'::regclass
where not (${isNeeded(table, 'p.slice_id')})
order by coalesce(i.inhdetachpending, false) desc, 1`);
  return rows;
}

type PartitionToRemove = UnneededRow & {
  readonly table: PageTable;
  readonly removal: PageRemoval;
};

async function removePartition(
  connection: Connection,
  { table, removal, sliceId, attached, detaching }: PartitionToRemove,
): Promise<void> {
  const { partition } = PAGE_LOCKS[table];
  // Who writes pages holds it until the manifest's rows can be seen.
  if (!(await tryLock(connection, partition, sliceId))) return;
  try {
    const { rows } = await connection.query<{ isNeeded: boolean }>(
      `select ${removal.isNeeded(table, '$1::int')} as "isNeeded"`,
      [sliceId],
    );
    if (rows[0]?.isNeeded) return;
    const name = pagePartitionName(table, sliceId);
    if (attached) {
      const how = detaching ? 'finalize' : 'concurrently';
      await connection.query(`alter table ${table} detach partition ${name} ${how}`);
    }
    await connection.query(`drop table if exists ${name}`);
  } finally {
    await giveBack(() => unlock(connection, partition, sliceId));
  }
}

async function tryLock(connection: Connection, lockClass: number, id: number): Promise<boolean> {
  const { rows } = await connection.query<{ locked: boolean }>(
    'select pg_try_advisory_lock($1, $2) as locked',
    [lockClass, id],
  );
  return rows[0]?.locked ?? false;
}

const unlock = (connection: Connection, lockClass: number, id: number) =>
  connection.query('select pg_advisory_unlock($1, $2)', [lockClass, id]);

/** Of a connection that is lost all was given back, and the error before says more. */
async function giveBack(work: () => Promise<unknown>): Promise<void> {
  try {
    await work();
  } catch (error) {
    if (!isUnreachable(error)) throw error;
  }
}

/** 57014: the wait for readers was cut short. */
const isGivingUp = (error: unknown): boolean => errorCode(error) === '57014';
