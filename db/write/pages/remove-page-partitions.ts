import { PARTITION_REMOVAL_LOCK } from '../../advisory-locks.ts';
import { type Connection, isTransactionPooled } from '../../connection/connection.ts';
import { isCanceled, isUnreachable } from '../../database-error.ts';
import { selectIsDistributed } from '../../page-placement.ts';
import {
  generationIn,
  levelsIn,
  PAGE_LOCKS,
  PAGE_TABLES,
  PARTITION_PATTERNS,
  type PageTable,
} from '../../page-tables.ts';
import { isLockMissed } from './brief-locks.ts';
import { doWorkersAnswer } from './do-workers-answer.ts';
import { dropDistributed } from './drop-distributed.ts';

/** SQL about a partition: its slice_id, and whether it has pages of segments of the manifest. */
export type PartitionFacts = {
  readonly slice: string;
  /** segments: their alias. */
  readonly holds: (segments: string) => string;
};

/** Which partitions of pages are removed. */
export type PageRemoval = {
  /** SQL that says whether a partition is needed. */
  readonly isNeeded: (partition: PartitionFacts) => string;
  /** Awaited after partitions were found and before any is removed; false: not now. */
  readonly mayRemove: () => Promise<boolean>;
  /** How long the removal may wait for transactions that use the table of pages. */
  readonly waitMs: number;
};

/** A partition that PostgreSQL did not let us remove, and why, in its words. */
export type RefusedRemoval = { readonly partition: string; readonly reason: string };

/** For an operator's log, beside what was refused. */
export const REFUSED_REMOVAL =
  'partitions of pages are not needed, but cannot be removed: drop these tables, or remove the reason';

type UnneededRow = { name: string; attached: boolean; detaching: boolean };

/**
 * Removes partitions of pages that are not needed. This frees their disk space at once, whereas
 * deleted rows would be written to the WAL and vacuumed. What takes longer than `waitMs` is left to
 * the next time, and so is what another process removes or writes to. A partition that cannot be
 * removed, such as one that belongs to another role or has a view, does not stop the others;
 * returns these.
 */
export async function removePagePartitions(
  connection: Connection,
  removal: PageRemoval,
): Promise<RefusedRemoval[]> {
  // Locks and settings would be lost between transactions.
  if (isTransactionPooled(connection)) return [];
  const refused: RefusedRemoval[] = [];
  for (const table of PAGE_TABLES) refused.push(...(await removeFrom(connection, table, removal)));
  return refused;
}

async function removeFrom(
  connection: Connection,
  table: PageTable,
  removal: PageRemoval,
): Promise<RefusedRemoval[]> {
  const refused: RefusedRemoval[] = [];
  const lock = PAGE_LOCKS[table].removal;
  // PostgreSQL allows only one pending detach: if another process is removing, all is left to it.
  if (!(await tryLock(connection, PARTITION_REMOVAL_LOCK, lock))) return refused;
  try {
    const unneeded = await selectUnneeded(connection, table, removal);
    if (unneeded.length === 0 || !(await removal.mayRemove())) return refused;
    const isDistributed = await selectIsDistributed(connection);
    const how = { table, removal, isDistributed };
    await connection.query(`set statement_timeout = ${removal.waitMs}`);
    for (const each of unneeded) {
      try {
        await removePartition(connection, { ...how, ...each });
      } catch (error) {
        if (isGivingUp(error) || isUnreachable(error)) throw error;
        const reason = error instanceof Error ? error.message : String(error);
        refused.push({ partition: each.name, reason });
      }
    }
  } catch (error) {
    if (!isGivingUp(error)) throw error;
  } finally {
    await giveBack(async () => {
      await connection.query('set statement_timeout = 0');
      await unlock(connection, PARTITION_REMOVAL_LOCK, lock);
    });
  }
  return refused;
}

/**
 * Selects the partitions that are not needed. A half-detached one comes first, because no other can
 * be detached before it.
 */
async function selectUnneeded(
  connection: Connection,
  table: PageTable,
  { isNeeded }: PageRemoval,
): Promise<UnneededRow[]> {
  const { rows } = await connection.query<UnneededRow>(`
select p.relname as name, i.inhrelid is not null as attached,
  coalesce(i.inhdetachpending, false) as detaching
from (${partitionsOf(table)}) p
left join pg_inherits i on i.inhrelid = p.oid and i.inhparent = '${table}'::regclass
where not (${isNeeded(factsOf(table, 'p'))})
order by coalesce(i.inhdetachpending, false) desc, p.oid`);
  return rows;
}

/** SQL: the existing partitions of a table, attached or not, by their names. */
const partitionsOf = (table: PageTable): string => `
  select oid, relname, ${partOfName(table, 'relname', 1)} as slice_id,
    ${table === 'open_segment_pages' ? partOfName(table, 'relname', 2) : '0'} as generation
  from pg_class
  where relkind = 'r' and relname ~ '${PARTITION_PATTERNS[table]}'
    and pg_table_is_visible(oid)
  offset 0`;

const partOfName = (table: PageTable, name: string, part: 1 | 2): string =>
  `split_part(substr(${name}, ${table.length + 2}), '_', ${part})::int`;

/** partition: the alias of a row of partitionsOf. */
const factsOf = (table: PageTable, partition: string): PartitionFacts => ({
  slice: `${partition}.slice_id`,
  holds: (segments) =>
    `${segments}.slice_id = ${partition}.slice_id and ${segments}.${levelsIn(table)}` +
    (table === 'open_segment_pages'
      ? ` and ${generationIn(segments)} = ${partition}.generation`
      : ''),
});

type PartitionToRemove = UnneededRow & {
  readonly table: PageTable;
  readonly removal: PageRemoval;
  readonly isDistributed: boolean;
};

async function removePartition(
  connection: Connection,
  { table, removal, isDistributed, name, attached, detaching }: PartitionToRemove,
): Promise<void> {
  const { partition } = PAGE_LOCKS[table];
  // A transaction that writes pages holds this lock until the manifest's rows are visible.
  if (!(await tryLock(connection, partition, name))) return;
  try {
    const { rows } = await connection.query<{ isNeeded: boolean }>(
      `select ${removal.isNeeded(factsOf(table, 'p'))} as "isNeeded"
       from (${partitionsOf(table)}) p where p.relname = $1`,
      [name],
    );
    // Another process may have removed it already.
    if (rows[0]?.isNeeded !== false) return;
    if (isDistributed) {
      // While a worker hangs, a drop would hold its locks and block all readers.
      const mayDrop = () => doWorkersAnswer(connection);
      await dropDistributed(connection, { name, waitMs: removal.waitMs, mayDrop });
      return;
    }
    if (attached) {
      const how = detaching ? 'finalize' : 'concurrently';
      await connection.query(`alter table ${table} detach partition ${name} ${how}`);
    }
    await connection.query(`drop table if exists ${name}`);
  } finally {
    await giveBack(() => unlock(connection, partition, name));
  }
}

async function tryLock(
  connection: Connection,
  lockClass: number,
  id: number | string,
): Promise<boolean> {
  const { rows } = await connection.query<{ locked: boolean }>(
    `select pg_try_advisory_lock($1, ${lockId(id)}) as locked`,
    [lockClass, id],
  );
  return rows[0]?.locked ?? false;
}

const unlock = (connection: Connection, lockClass: number, id: number | string) =>
  connection.query(`select pg_advisory_unlock($1, ${lockId(id)})`, [lockClass, id]);

/** A partition is locked by its name. */
const lockId = (id: number | string): string => (typeof id === 'string' ? 'hashtext($2)' : '$2');

/**
 * Runs clean-up. A lost connection has already released everything, and the original error says
 * more.
 */
async function giveBack(work: () => Promise<unknown>): Promise<void> {
  try {
    await work();
  } catch (error) {
    if (!isUnreachable(error)) throw error;
  }
}

/** Returns whether the wait for readers was cut short. */
const isGivingUp = (error: unknown): boolean => isCanceled(error) || isLockMissed(error);
