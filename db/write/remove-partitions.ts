import { PARTITION_REMOVAL_LOCK, SLICE_HELD_LOCK } from '../advisory-locks.ts';
import { errorCode } from '../database-error.ts';
import type { Connection } from './connection.ts';
import { partitionName } from './create-partition.ts';

type OrphanRow = { sliceId: number; attached: boolean; detaching: boolean };

const WAIT_MS = 5_000;

/**
 * Removes partitions that were made for slices which never came to be, as their import failed or
 * was killed. Readers are not held up: PostgreSQL waits for those that might still look at a
 * partition, and lets new ones pass meanwhile. When that takes longer than `waitMs`, what is left is
 * left to the next import.
 */
export async function removeOrphanPartitions(
  connection: Connection,
  { waitMs = WAIT_MS }: { waitMs?: number } = {},
): Promise<void> {
  // PostgreSQL lets only one detach be pending: another process that removes is left to do it all.
  if (!(await tryLock(connection, PARTITION_REMOVAL_LOCK, 0))) return;
  try {
    await connection.query(`set statement_timeout = ${waitMs}`);
    for (const orphan of await selectOrphans(connection)) await removeOrphan(connection, orphan);
  } catch (error) {
    if (!isGivingUp(error)) throw error;
  } finally {
    await connection.query('set statement_timeout = 0');
    await unlock(connection, PARTITION_REMOVAL_LOCK, 0);
  }
}

/** Tables of slices that are not listed: attached, half detached, or detached and not dropped. */
async function selectOrphans(connection: Connection): Promise<OrphanRow[]> {
  const { rows } = await connection.query<OrphanRow>(`
select substr(c.relname, 9)::int as "sliceId", i.inhrelid is not null as attached,
  coalesce(i.inhdetachpending, false) as detaching
from pg_class c
left join pg_inherits i on i.inhrelid = c.oid and i.inhparent = 'samples'::regclass
where c.relkind = 'r' and c.relname ~ '^samples_[0-9]{1,9}$'
  and c.relnamespace = (select relnamespace from pg_class where oid = 'samples'::regclass)
  and not exists (select from slices s where s.slice_id = substr(c.relname, 9)::int)
order by coalesce(i.inhdetachpending, false) desc, 1`);
  return rows;
}

async function removeOrphan(connection: Connection, orphan: OrphanRow): Promise<void> {
  // Whoever fills a slice holds it, from before its partition is made until its row can be seen.
  if (!(await tryLock(connection, SLICE_HELD_LOCK, orphan.sliceId))) return;
  try {
    if (await isListed(connection, orphan.sliceId)) return;
    const name = partitionName(orphan.sliceId);
    if (orphan.attached) {
      const how = orphan.detaching ? 'finalize' : 'concurrently';
      await connection.query(`alter table samples detach partition ${name} ${how}`);
    }
    await connection.query(`drop table ${name}`);
  } finally {
    await unlock(connection, SLICE_HELD_LOCK, orphan.sliceId);
  }
}

async function isListed(connection: Connection, sliceId: number): Promise<boolean> {
  const { rowCount } = await connection.query('select from slices where slice_id = $1', [sliceId]);
  return rowCount !== 0;
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

/** 57014: the wait for readers was cut short. */
const isGivingUp = (error: unknown): boolean => errorCode(error) === '57014';
