import { LIMITS } from '../../domain/limits.ts';
import { NO_SLICE } from '../../domain/slices/segment-level.ts';
import { PARTITION_REMOVAL_LOCK } from '../advisory-locks.ts';
import { type Connection, inTransaction, isTransactionPooled } from '../connection/connection.ts';
import { errorCode, isCanceled, isUnreachable } from '../database-error.ts';
import { selectIsDistributed } from '../page-placement.ts';
import {
  generationIn,
  levelsIn,
  PAGE_LOCKS,
  PAGE_TABLES,
  PARTITION_PATTERNS,
  type PageTable,
} from '../page-tables.ts';
import { waitForSnapshots } from './archived-slices.ts';
import { isLockMissed, letOthersGoFirst, lockBriefly } from './page-partitions.ts';

/** SQL about a partition: its slice_id, and whether it has pages of segments of the manifest. */
type PartitionFacts = {
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

/** A partition that is not needed but cannot be removed, and why. */
export type RefusedRemoval = {
  readonly partition: string;
  readonly sliceId: number;
  readonly reason: string;
};

/** For an operator's log, along with what was refused. */
export const REFUSED_REMOVAL =
  'partitions of pages are not needed, but cannot be removed: drop these tables, or remove the reason';

/** table: its name in statements. obstacle: why it cannot be removed, in words; null: it can. */
type UnneededRow = {
  readonly name: string;
  readonly sliceId: number;
  readonly table: string;
  readonly attached: boolean;
  readonly detaching: boolean;
  readonly obstacle: string | null;
};

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
    const unneeded: UnneededRow[] = [];
    for (const row of await selectUnneeded(connection, table, removal)) {
      // A half-detached one must at least be detached, or no other could be.
      if (row.obstacle === null || row.detaching) unneeded.push(row);
      else refused.push(refusalOf(row, row.obstacle));
    }
    if (unneeded.length === 0 || !(await removal.mayRemove())) return refused;
    const isDistributed = await selectIsDistributed(connection);
    const how = { pages: table, removal, isDistributed };
    await connection.query(`set statement_timeout = ${removal.waitMs}`);
    for (const each of unneeded) {
      try {
        await removePartition(connection, { ...how, ...each });
      } catch (error) {
        if (!isRefusal(error)) throw error;
        refused.push(refusalOf(each, error.message));
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

const refusalOf = ({ name, sliceId }: UnneededRow, reason: string): RefusedRemoval => ({
  partition: name,
  sliceId,
  reason,
});

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
select p.relname as name, p.slice_id as "sliceId", p.oid::regclass::text as "table",
  i.inhrelid is not null as attached, coalesce(i.inhdetachpending, false) as detaching,
  ${OBSTACLE} as obstacle
from (${partitionsOf(table)}) p
left join pg_inherits i on i.inhrelid = p.oid and i.inhparent = '${table}'::regclass
where not (${isNeeded(factsOf(table, 'p'))})
order by coalesce(i.inhdetachpending, false) desc, p.oid`);
  return rows;
}

/**
 * SQL: why a partition `p` cannot be dropped; null if it can, as far as is known. It is left as
 * it is then: a table that was detached but not dropped would be in the way of its successor.
 */
const OBSTACLE = `
  case when not pg_has_role(p.relowner, 'usage') and not pg_has_role(
      (select nspowner from pg_namespace where oid = p.relnamespace), 'usage')
    then 'it belongs to role ' || p.relowner::regrole
  else (select format('%s depends on it', min(r.ev_class::regclass::text))
    from pg_depend d join pg_rewrite r on r.oid = d.objid
    where d.classid = 'pg_rewrite'::regclass and d.refclassid = 'pg_class'::regclass
      and d.refobjid = p.oid
    having count(*) > 0) end`;

/**
 * SQL: the existing partitions of a table: those next to it that are named like one, attached or
 * not, and those that an earlier version created in another schema.
 */
const partitionsOf = (table: PageTable): string => `
  select oid, relname, relowner, relnamespace, ${partOfName(table, 'relname', 1)} as slice_id,
    ${table === 'open_segment_pages' ? partOfName(table, 'relname', 2) : '0'} as generation
  from pg_class
  where relkind = 'r' and relname ~ '${PARTITION_PATTERNS[table]}'
    and (relnamespace = (select relnamespace from pg_class where oid = '${table}'::regclass)
      or exists (select from pg_inherits
        where inhrelid = pg_class.oid and inhparent = '${table}'::regclass))
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
  readonly pages: PageTable;
  readonly removal: PageRemoval;
  readonly isDistributed: boolean;
};

async function removePartition(
  connection: Connection,
  { pages, removal, isDistributed, name, table, attached, detaching }: PartitionToRemove,
): Promise<void> {
  const { partition } = PAGE_LOCKS[pages];
  // A transaction that writes pages holds this lock until the manifest's rows are visible.
  if (!(await tryLock(connection, partition, name))) return;
  try {
    const { rows } = await connection.query<{ isNeeded: boolean }>(
      `select ${removal.isNeeded(factsOf(pages, 'p'))} as "isNeeded"
       from (${partitionsOf(pages)}) p where p.relname = $1`,
      [name],
    );
    // Another process may have removed it already.
    if (rows[0]?.isNeeded !== false) return;
    if (isDistributed) {
      // While a worker hangs, a drop would hold its locks and block all readers.
      const mayDrop = () => doWorkersAnswer(connection);
      await dropDistributed(connection, { name: table, waitMs: removal.waitMs, mayDrop });
      return;
    }
    if (attached) {
      const how = detaching ? 'finalize' : 'concurrently';
      await connection.query(`alter table ${pages} detach partition ${table} ${how}`);
    }
    await connection.query(`drop table if exists ${table}`);
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

/** Returns whether the role may not drop a table (42501), or something depends on it (2BP01). */
const isRefusal = (error: unknown): error is Error =>
  error instanceof Error && ['42501', '2BP01'].includes(errorCode(error) ?? '');

/**
 * Returns whether the wait for readers was cut short, or another partition is half detached
 * (55000), which whoever began that finishes first.
 */
const isGivingUp = (error: unknown): boolean =>
  isCanceled(error) || isLockMissed(error) || errorCode(error) === '55000';

const WAIT_MS = 5_000;

/**
 * Removes partitions of pages that have no segment of the manifest, live or dead. Waits for no
 * snapshots except those that DETACH itself waits for, because dead segments stay in the manifest
 * until none sees them alive.
 */
export const removeIdlePartitions = (
  connection: Connection,
  { waitMs = WAIT_MS }: { readonly waitMs?: number } = {},
): Promise<RefusedRemoval[]> =>
  removePagePartitions(connection, {
    isNeeded: ({ holds }) => `exists (select from segments s where ${holds('s')})`,
    mayRemove: async () => true,
    waitMs,
  });

type TakenRemoval = {
  /** How long to wait for earlier readers before a partition is left to the next time. */
  readonly waitMs?: number | undefined;
  readonly signal?: AbortSignal | undefined;
};

/**
 * Removes partitions of pages of slices that were archived or dropped, and of imports that failed,
 * as soon as every transaction that could see a live segment in them is over. Dead segments may
 * still be in the manifest: the sweep, which does the same for all pages that nobody can need,
 * waits until servers that have cached them have had their time.
 *
 * A slice that was archived by hand, without an archive of ours, may have nothing but its pages, so
 * they stay. Pages of roll-ups are left to the sweep.
 */
export const removeTakenPartitions = (
  connection: Connection,
  { waitMs = LIMITS.detachWaitMs, signal }: TakenRemoval = {},
): Promise<RefusedRemoval[]> =>
  removePagePartitions(connection, {
    isNeeded: ({ slice, holds }) =>
      `exists (select from segments s where ${holds('s')} and s.died is null)
       or exists (select from slices where slice_id = ${slice} and archive_digest is null)
       or ${slice} = ${NO_SLICE}`,
    mayRemove: () => waitForSnapshots(connection, { waitMs, signal }),
    waitMs,
  });

type DistributedDrop = {
  readonly name: string;
  /** How long to try. */
  readonly waitMs: number;
  /** Awaited before each attempt; false: not now. */
  readonly mayDrop: () => Promise<boolean>;
};

/**
 * Drops a partition of a distributed table of pages. Citus cannot detach one without locking the
 * table of pages against everyone, so the lock is requested only briefly, here and on the workers,
 * and again until `waitMs` have passed. Errors: 55P03 if it never became available.
 */
export async function dropDistributed(
  connection: Connection,
  { name, waitMs, mayDrop }: DistributedDrop,
): Promise<void> {
  const until = performance.now() + waitMs;
  while (await mayDrop()) {
    try {
      await dropNow(connection, name);
      return;
    } catch (error) {
      if (!isLockMissed(error) || performance.now() >= until) throw error;
    }
    await letOthersGoFirst();
  }
}

const dropNow = (connection: Connection, name: string): Promise<void> =>
  inTransaction(connection, async () => {
    // Citus applies the settings from here on to the workers as well.
    await connection.query("set local citus.propagate_set_commands = 'local'");
    await lockBriefly(connection);
    await connection.query(`drop table if exists ${name}`);
  });

/**
 * Returns whether all Citus workers that have shards answer, including those being drained. One
 * that hangs keeps the statement waiting until its time limit.
 */
export async function doWorkersAnswer(connection: Connection): Promise<boolean> {
  const { rows } = await connection.query<{ answer: boolean }>(
    `select coalesce(bool_and(citus_check_connection_to_node(nodename, nodeport)), true) as answer
     from pg_dist_node
     where isactive and noderole = 'primary' and groupid in (select groupid from pg_dist_placement)`,
  );
  return rows[0]?.answer === true;
}
