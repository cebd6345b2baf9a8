import { setTimeout as delay } from 'node:timers/promises';
import { LIMITS } from '../../domain/limits.ts';
import { type Connection, inTransaction } from '../connection/connection.ts';
import { requireSession } from '../connection/with-connection.ts';
import { errorCode, isShardMove, LOCK_NOT_AVAILABLE } from '../database-error.ts';
import {
  hasPartition,
  PAGE_LOCKS,
  type PagePartition,
  type PageTable,
  pagePartitionBounds,
  pagePartitionName,
} from '../page-tables.ts';

/**
 * Creates a partition for pages if there is none, in a transaction of its own. CREATE TABLE …
 * PARTITION OF would lock the table of pages against everything, and so would wait for all readers
 * and block them. A table that is created first and then attached takes a lock that does not
 * conflict with readers and other imports. The partition may be removed as unused until something
 * is written to it (reserve-segment.ts).
 *
 * Citus creates no partition while it moves a shard of these tables, so this waits for the move.
 * Errors: it takes too long.
 */
export async function ensurePagePartition(
  connection: Connection,
  partition: PagePartition,
): Promise<void> {
  if ((await selectPartitionState(connection, partition)) === 'attached') return;
  const until = performance.now() + LIMITS.shardMoveWaitMs;
  for (;;) {
    try {
      await inTransaction(connection, () => ensurePagePartitionWithin(connection, partition));
      return;
    } catch (error) {
      if (!isShardMove(error)) throw error;
      if (performance.now() >= until) throw new Error(MOVING, { cause: error });
    }
    await delay(LIMITS.shardMoveCheckMs);
  }
}

const MOVING =
  'Citus is moving a shard of pages, and a new partition of them has to wait until that is done: ' +
  'try again later (citus_rebalance_status() shows its progress)';

/**
 * Does the same in the open transaction, so that nothing is left if that fails. If it creates a
 * partition, nobody else can create a partition of that table until the end of the transaction.
 */
export async function ensurePagePartitionWithin(
  connection: Connection,
  partition: PagePartition,
): Promise<void> {
  if ((await selectPartitionState(connection, partition)) === 'attached') return;
  // An import and a merge may both need it, and another process may be removing it.
  const { table } = partition;
  const name = pagePartitionName(partition);
  const lock = PAGE_LOCKS[table].partition;
  await connection.query('select pg_advisory_xact_lock($1, hashtext($2))', [lock, name]);
  const state = await selectPartitionState(connection, partition);
  if (state === 'attached') return;
  // The rest of an unfinished removal: nobody needs it, or it would be attached.
  if (state === 'detaching') {
    await connection.query(`alter table ${table} detach partition ${name} finalize`);
  }
  await connection.query(`drop table if exists ${name}`);
  const schema = await selectSchema(connection, table);
  await connection.query(
    `create table ${schema}.${name} (like ${table} including all) ${OPTIONS[table]}`,
  );
  const bounds = pagePartitionBounds(partition);
  await connection.query(`alter table ${table} attach partition ${name} ${bounds}`);
}

/** Selects the schema of a table: new tables would go to the first schema of the search_path. */
async function selectSchema(connection: Connection, table: PageTable): Promise<string> {
  const { rows } = await connection.query<{ schema: string }>(
    `select relnamespace::regnamespace::text as schema from pg_class
     where oid = '${table}'::regclass`,
  );
  const [row] = rows;
  if (!row) throw new Error(`there is no table ${table}`);
  return row.schema;
}

/**
 * Open pages are only inserted, and are dropped with their partition. Vacuuming them while they
 * grow would find nothing to remove, and would write each page to the log once more to mark it
 * (checksums require that): a seventh of all that 18 hours of one-minute commits wrote there. This
 * also turns off their statistics, which no statement needs: each follows the primary key.
 */
const OPTIONS: Readonly<Record<PageTable, string>> = {
  open_segment_pages: 'with (autovacuum_enabled = false)',
  sealed_segment_pages: '',
};

/** Null: there is no such table, or it is not attached. */
type PartitionState = 'attached' | 'detaching' | null;

export async function selectPartitionState(
  connection: Connection,
  partition: PagePartition,
): Promise<PartitionState> {
  const { rows } = await connection.query<{ isDetaching: boolean }>(
    `select inhdetachpending as "isDetaching" from pg_inherits where inhrelid = to_regclass($1)`,
    [pagePartitionName(partition)],
  );
  const [row] = rows;
  if (!row) return null;
  return row.isDetaching ? 'detaching' : 'attached';
}

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

/** Selects those of these slices that have a partition for pages, attached or not. */
export async function selectPartitioned(
  connection: Connection,
  sliceIds: readonly number[],
): Promise<number[]> {
  const { rows } = await connection.query<{ sliceId: number }>(
    `select slice_id as "sliceId" from unnest($1::int[]) as slice_id
     where ${hasPartition('slice_id')}`,
    [sliceIds],
  );
  return rows.map(({ sliceId }) => sliceId);
}

/** How long others may have to wait for a table of pages because of us. */
const LOCK_MS = 100;

/**
 * Limits how long each statement of the open transaction waits for a lock: whoever comes later has
 * to wait behind it, even to read.
 */
export const lockBriefly = async (connection: Connection): Promise<void> => {
  await connection.query(`set local lock_timeout = ${LOCK_MS}`);
};

/**
 * Returns whether a lock did not become available in time, or whether Citus, which looks for
 * deadlocks itself, took the wait for one.
 */
export const isLockMissed = (error: unknown): boolean =>
  [LOCK_NOT_AVAILABLE, DEADLOCK_DETECTED].includes(errorCode(error) ?? '');

const DEADLOCK_DETECTED = '40P01';

/** Await it between two attempts. */
export const letOthersGoFirst = (): Promise<void> => delay(LOCK_MS);
