import { PARTITION_REMOVAL_LOCK, SLICE_HELD_LOCK } from '../advisory-locks.ts';
import { errorCode } from '../database-error.ts';
import { type Connection, isTransactionPooled } from './connection.ts';
import { partitionName } from './create-partition.ts';
import { waitForSnapshots } from './wait-for-snapshots.ts';

type OrphanRow = { sliceId: number; attached: boolean; detaching: boolean };

const WAIT_MS = 5_000;

/**
 * Removes partitions that nobody needs: of slices that were archived or dropped, and of those that
 * never came to be, as their import failed or was killed. Readers are not held up: those that might
 * still look at a partition are waited for, and new ones pass meanwhile. When that takes longer
 * than `waitMs`, what is left is left to the next import, archiving or look of the server.
 */
export async function removeOrphanPartitions(
  connection: Connection,
  { waitMs = WAIT_MS, signal }: { waitMs?: number; signal?: AbortSignal | undefined } = {},
): Promise<void> {
  // They are left to whoever reaches the database without such a pooler: locks would be lost here.
  if (isTransactionPooled(connection)) return;
  // PostgreSQL lets only one detach be pending: another process that removes is left to do it all.
  if (!(await tryLock(connection, PARTITION_REMOVAL_LOCK, 0))) return;
  try {
    const orphans = await selectOrphans(connection);
    if (orphans.length === 0) return;
    if (!(await waitForSnapshots(connection, { waitMs, signal }))) return;
    await connection.query(`set statement_timeout = ${waitMs}`);
    for (const orphan of orphans) await removeOrphan(connection, orphan);
  } catch (error) {
    if (!isGivingUp(error)) throw error;
  } finally {
    await connection.query('set statement_timeout = 0');
    await unlock(connection, PARTITION_REMOVAL_LOCK, 0);
  }
}

/** Which of these slices' partitions are there, be they attached or not. */
export async function selectPartitions(
  connection: Connection,
  sliceIds: readonly number[],
): Promise<number[]> {
  const { rows } = await connection.query<{ sliceId: number }>(
    `select slice_id as "sliceId" from unnest($1::int[]) as slice_id
     where to_regclass('samples_' || slice_id) is not null`,
    [sliceIds],
  );
  return rows.map(({ sliceId }) => sliceId);
}

/**
 * Slices whose partition is needed. That of an archived one is not, once its samples are in a file;
 * without a file somebody put it away by hand, and may have nothing but the partition.
 */
const NEEDED = 'select from slices s where s.archive_digest is null';

/** Tables of slices that need none: attached, half detached, or detached and not dropped. */
async function selectOrphans(connection: Connection): Promise<OrphanRow[]> {
  const { rows } = await connection.query<OrphanRow>(`
select substr(c.relname, 9)::int as "sliceId", i.inhrelid is not null as attached,
  coalesce(i.inhdetachpending, false) as detaching
from pg_class c
left join pg_inherits i on i.inhrelid = c.oid and i.inhparent = 'samples'::regclass
where c.relkind = 'r' and c.relname ~ '^samples_[0-9]{1,9}$'
  and c.relnamespace = (select relnamespace from pg_class where oid = 'samples'::regclass)
  and not exists (${NEEDED} and s.slice_id = substr(c.relname, 9)::int)
order by coalesce(i.inhdetachpending, false) desc, 1`);
  return rows;
}

async function removeOrphan(connection: Connection, orphan: OrphanRow): Promise<void> {
  // Whoever fills a slice holds it, from before its partition is made until its row can be seen.
  if (!(await tryLock(connection, SLICE_HELD_LOCK, orphan.sliceId))) return;
  try {
    if (await isNeeded(connection, orphan.sliceId)) return;
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

async function isNeeded(connection: Connection, sliceId: number): Promise<boolean> {
  const { rowCount } = await connection.query(`${NEEDED} and s.slice_id = $1`, [sliceId]);
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
