import { setTimeout as delay } from 'node:timers/promises';
import { LIMITS } from '../../domain/limits.ts';
import type { EpochSeconds } from '../../domain/time/interval.ts';
import { SLICE_HELD_LOCK } from '../advisory-locks.ts';
import type { Connection } from '../connection/connection.ts';
import { newestBucketBy } from '../newest-bucket.ts';
import { selectIsDistributed } from '../page-placement.ts';
import { pageBytesOf, pagePathOf, partitionSize } from '../page-tables.ts';
import { isSessionOfUser } from '../session-kinds.ts';
import { MAY_KEEP } from './server-state.ts';

/** Where the readings of an archived slice are. */
export type StoredArchive = {
  pool: string;
  /** Where the pool is mounted, as currently declared. */
  poolPath: string | null;
  /** The path of the file, from there. */
  path: string;
  /** SHA-256 of the file, in hexadecimal. */
  digest: string;
  bytes: number;
  rows: number;
  /** Epoch seconds. */
  archivedAt: number;
};

/** A slice, with everything about where it is stored. */
export type StoredSlice = {
  sliceId: number;
  engine: number;
  startsAt: number;
  endsAt: number;
  archived: boolean;
  /** The tags that users gave the slice. */
  tags: string[];
  /** An import is filling it. */
  held: boolean;
  /**
   * The path of its pages within the server's data folder, or of its archive; null: neither is
   * known.
   */
  path: string | null;
  /** The size of its pages with their indexes and of its archive; null: there is neither. */
  sizeBytes: number | null;
  /** Also null for a slice that was archived by hand. */
  archive: StoredArchive | null;
};

/** Selects all slices of a context, oldest first, then by engine instance. */
export async function selectStoredSlices(
  connection: Connection,
  contextId: number,
): Promise<StoredSlice[]> {
  const sizeOf = partitionSize(await selectIsDistributed(connection));
  // JSON numbers hold every size; a bigint of PostgreSQL would arrive as text.
  const { rows } = await connection.query<StoredSlice>(
    `select s.slice_id as "sliceId", s.engine::int as engine, s.starts_at::float8 as "startsAt",
       s.ends_at::float8 as "endsAt", s.archived, s.tags,
       exists (select from pg_locks where locktype = 'advisory' and classid = ${SLICE_HELD_LOCK}
         and objsubid = 2 and objid::bigint = s.slice_id
         and database = (select oid from pg_database where datname = current_database())) as held,
       case when s.archived
         then coalesce(rtrim(p.path, '/') || '/' || s.archive_path, s.archive_path)
         else ${pagePathOf('s.slice_id')} end as path,
       nullif(coalesce(${pageBytesOf('s.slice_id', sizeOf)}, 0) + coalesce(s.archive_bytes, 0),
         0)::float8 as "sizeBytes",
       case when s.archive_digest is not null then json_build_object('pool', s.archive_pool,
         'poolPath', p.path, 'path', s.archive_path, 'digest', encode(s.archive_digest, 'hex'),
         'bytes', s.archive_bytes, 'rows', s.archive_rows,
         'archivedAt', floor(extract(epoch from s.archived_at))) end as archive
     from slices s
     left join pools p on p.context_id = s.context_id and p.name = s.archive_pool
     where s.context_id = $1
     order by s.starts_at, s.engine`,
    [contextId],
  );
  return rows;
}

/** A context with something to drop. */
export type Retention = {
  contextId: number;
  name: string;
  retentionDays: number;
  /** What ended by then is older than the context keeps it. */
  keptSince: EpochSeconds;
};

/**
 * Selects the contexts with slices that are older than they keep them; none if this
 * role cannot drop anything here.
 */
export async function selectRetentions(connection: Connection): Promise<Retention[]> {
  const { rows } = await connection.query<Retention>(
    `select c.context_id as "contextId", c.name, c.retention_days as "retentionDays",
       kept.since::float8 as "keptSince"
     from contexts c cross join lateral (select ${KEPT_SINCE} as since offset 0) kept
     where ${MAY_KEEP} and c.retention_days is not null
       and exists (select from slices s
         where s.context_id = c.context_id and s.ends_at <= kept.since)
     order by c.context_id`,
  );
  return rows;
}

/**
 * SQL, for a context `c`: the time by which its slices and alert events must have ended to be older
 * than it keeps them; null if it has no data.
 *
 * Whatever drops data by itself counts by the database's clock, but never past the newest bucket:
 * after a leap of the clock, or once a feed has ended, what is there stays. A bucket that is more
 * than a topper bucket ahead of the clock comes from a wrong clock itself, so it does not count.
 * Archived slices have no coverage: they have data from their starts on.
 */
export const KEPT_SINCE = `(
  select least(max(newest.bucket), clock.seconds) - 86400::bigint * c.retention_days
  from (select floor(extract(epoch from clock_timestamp()))::bigint as seconds) clock
  cross join lateral (
    select ${newestBucketBy('clock.seconds + g.topper_bucket_size')} as bucket
    from counter_groups g join coverage v using (group_id)
    where g.context_id = c.context_id
    union all
    select s.starts_at from slices s
    where s.context_id = c.context_id and s.archived and s.starts_at <= clock.seconds
  ) newest
  group by clock.seconds)`;

/** Selects what a running server drops of a context: what ended by then. null: nothing. */
export async function selectKeptSince(
  connection: Connection,
  contextId: number,
): Promise<EpochSeconds | null> {
  const { rows } = await connection.query<{ keptSince: number | null }>(
    `select ${KEPT_SINCE}::float8 as "keptSince" from contexts c where c.context_id = $1`,
    [contextId],
  );
  return rows[0]?.keptSince ?? null;
}

/** Selects the starts of the archived slices of an engine instance. */
export async function selectArchivedStarts(
  connection: Connection,
  { contextId, engine }: { readonly contextId: number; readonly engine: number },
): Promise<ReadonlySet<number>> {
  const { rows } = await connection.query<{ startsAt: number }>(
    `select starts_at::float8 as "startsAt" from slices
     where context_id = $1 and engine = $2 and archived`,
    [contextId, engine],
  );
  return new Set(rows.map(({ startsAt }) => startsAt));
}

/**
 * Marks the slice as archived: from the commit on, its readings are in the file, and no longer
 * here.
 */
export const updateSliceArchived = async (
  connection: Connection,
  sliceId: number,
  { pool, path, digest, bytes, rows }: Omit<StoredArchive, 'poolPath' | 'archivedAt'>,
): Promise<void> => {
  await connection.query(
    `update slices set archived = true, archive_pool = $2, archive_path = $3,
       archive_digest = decode($4, 'hex'), archive_bytes = $5, archive_rows = $6,
       archived_at = now()
     where slice_id = $1`,
    [sliceId, pool, path, digest, bytes, rows],
  );
};

/** Marks the slice as available again, from the commit on. */
export const updateSliceRestored = async (
  connection: Connection,
  sliceId: number,
): Promise<void> => {
  await connection.query(
    `update slices set archived = false, archive_pool = null, archive_path = null,
       archive_digest = null, archive_bytes = null, archive_rows = null, archived_at = null
     where slice_id = $1`,
    [sliceId],
  );
};

/** A file in a pool that no slice names: to be removed, or just being written. */
type ArchiveLeftover = { pool: string; path: string; poolPath: string | null };

export const insertLeftover = async (
  connection: Connection,
  contextId: number,
  { pool, path }: Omit<ArchiveLeftover, 'poolPath'>,
): Promise<void> => {
  await connection.query(
    'insert into archive_leftovers (context_id, pool, path) values ($1, $2, $3)',
    [contextId, pool, path],
  );
};

/**
 * Selects the leftovers of a context, except files that a slice does name, even if they are
 * recorded as leftovers.
 */
export async function selectLeftovers(
  connection: Connection,
  contextId: number,
): Promise<ArchiveLeftover[]> {
  const { rows } = await connection.query<ArchiveLeftover>(
    `select l.pool, l.path, p.path as "poolPath"
     from archive_leftovers l join pools p on p.context_id = l.context_id and p.name = l.pool
     where l.context_id = $1 and not exists (select from slices s where s.context_id = $1
       and s.archive_pool = l.pool and s.archive_path = l.path)
     order by l.pool, l.path`,
    [contextId],
  );
  return rows;
}

export const deleteLeftover = async (
  connection: Connection,
  contextId: number,
  { pool, path }: Omit<ArchiveLeftover, 'poolPath'>,
): Promise<void> => {
  await connection.query(
    'delete from archive_leftovers where context_id = $1 and pool = $2 and path = $3',
    [contextId, pool, path],
  );
};

/**
 * Waits until all transactions that see the database as it was before this moment are over, or have
 * taken a new snapshot. Does not wait for new transactions, and locks nobody out. Returns false if
 * `waitMs` passed first.
 *
 * DETACH … CONCURRENTLY itself waits only for transactions that have already used the table of
 * pages. A transaction that began before a slice was removed, and reads its pages later, would miss
 * them.
 */
export async function waitForSnapshots(
  connection: Connection,
  { waitMs, signal }: { waitMs: number; signal?: AbortSignal | undefined },
): Promise<boolean> {
  const until = performance.now() + waitMs;
  let waitedFor = await selectSnapshots(connection);
  // A transaction that has ended tells new snapshots of other roles from these.
  if (waitedFor.size > 0) await connection.query('select pg_current_xact_id()');
  while (waitedFor.size > 0) {
    if (performance.now() >= until) return false;
    await delay(LIMITS.detachCheckMs, undefined, { signal });
    const still = await selectSnapshots(connection);
    waitedFor = new Set([...waitedFor].filter((holder) => still.has(holder)));
  }
  return true;
}

/**
 * Selects the transactions that hold a snapshot, by process and start, because a process has one at
 * a time. Of sessions of other roles, PostgreSQL shows only the oldest transaction that the
 * snapshot sees as running: while that one runs, their new snapshots cannot be told from the old.
 */
async function selectSnapshots(connection: Connection): Promise<Set<string>> {
  const { rows } = await connection.query<{ holder: string }>(
    `select pid || ' ' || coalesce(xact_start::text, backend_xmin::text) as holder
     from pg_stat_activity a
     where datname = current_database() and ${isSessionOfUser('a')}
       and backend_xmin is not null and pid <> pg_backend_pid()`,
  );
  return new Set(rows.map(({ holder }) => holder));
}
