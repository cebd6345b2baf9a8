import { CONTEXT_MERGE_LOCK } from '../advisory-locks.ts';
import type { Connection } from '../connection/connection.ts';
import { pagePartitionName, pagePartitionOf, type SegmentToPlace } from '../page-tables.ts';
import { isSenderToStandby, isSessionOfUser } from '../session-kinds.ts';
import { lockPagePartition } from './page-partitions.ts';

/**
 * The id of a new segment, which no other segment has or had. isReady: there is a partition for its
 * pages.
 */
type ReservedSegment = { readonly segmentId: number; readonly isReady: boolean };

/**
 * Reserves an id for a new segment. Until the end of the transaction, nobody removes the partition
 * for its pages: it is locked before it is looked up.
 */
export async function reserveSegment(
  connection: Connection,
  place: SegmentToPlace,
): Promise<ReservedSegment> {
  const partition = pagePartitionOf(place);
  await lockPagePartition(connection, partition);
  const { rows } = await connection.query<ReservedSegment>(
    `select nextval('segment_ids')::float8 as "segmentId",
       exists (select from pg_inherits where inhrelid = to_regclass($1) and not inhdetachpending)
         as "isReady"`,
    [pagePartitionName(partition)],
  );
  const [reserved] = rows;
  if (!reserved) throw new Error('a sequence always has a next number');
  return reserved;
}

/**
 * A row of the manifest, without the layout numbers at which it was added and removed. Times in
 * epoch seconds.
 */
export type NewSegmentRow = {
  readonly segmentId: number;
  readonly groupId: number;
  /** 0: no probe. */
  readonly probeId: number;
  readonly sliceId: number;
  readonly level: number;
  readonly firstBucket: number;
  readonly lastBucket: number;
  readonly keyCount: number;
  readonly rowCount: number;
  readonly pageCount: number;
  /** The size of its pages and directory. */
  readonly sizeBytes: number;
  /**
   * When the last of its readings were imported, in whole seconds. This determines where its pages
   * are.
   */
  readonly importedAt: number;
  readonly directory: Uint8Array;
  /** The segments that a roll-up was made of. */
  readonly sources?: readonly number[];
};

type SegmentAddition = {
  readonly contextId: number;
  /** A layout number of the context. */
  readonly addedAt: number;
};

/** Adds segments, whose pages are already stored, to the manifest. */
export async function insertSegments(
  connection: Connection,
  { contextId, addedAt }: SegmentAddition,
  rows: readonly NewSegmentRow[],
): Promise<void> {
  const column = <T>(of: (row: NewSegmentRow) => T): T[] => rows.map(of);
  await connection.query(
    `insert into segments (context_id, born, segment_id, group_id, probe_id, slice_id,
       level, first_bucket, last_bucket, key_count, row_count, page_count, size_bytes,
       directory, imported_at, sources)
     select $1, $2, s.segment_id, s.group_id, s.probe_id, s.slice_id, s.level, s.first_bucket,
       s.last_bucket, s.key_count, s.row_count, s.page_count, s.size_bytes, s.directory,
       to_timestamp(s.imported_at), s.sources::bigint[]
     from unnest($3::bigint[], $4::int[], $5::int[], $6::int[], $7::smallint[], $8::bigint[],
       $9::bigint[], $10::bigint[], $11::bigint[], $12::int[], $13::bigint[], $14::bytea[],
       $15::bigint[], $16::text[])
       as s(segment_id, group_id, probe_id, slice_id, level, first_bucket, last_bucket, key_count,
         row_count, page_count, size_bytes, directory, imported_at, sources)`,
    [
      contextId,
      addedAt,
      column(({ segmentId }) => segmentId),
      column(({ groupId }) => groupId),
      column(({ probeId }) => probeId),
      column(({ sliceId }) => sliceId),
      column(({ level }) => level),
      column(({ firstBucket }) => firstBucket),
      column(({ lastBucket }) => lastBucket),
      column(({ keyCount }) => keyCount),
      column(({ rowCount }) => rowCount),
      column(({ pageCount }) => pageCount),
      column(({ sizeBytes }) => sizeBytes),
      column(({ directory }) => Buffer.from(directory)),
      column(({ importedAt }) => importedAt),
      column(({ sources }) => (sources === undefined ? null : `{${sources.join()}}`)),
    ],
  );
}

/** removedAt: a layout number of the context; at: the time, in epoch seconds. */
type SegmentRemoval = {
  readonly contextId: number;
  readonly removedAt: number;
  readonly at: number;
};

/** Marks the given segments as dead, and returns the ids of those that were alive. */
export async function markRemoved(
  connection: Connection,
  { contextId, removedAt, at }: SegmentRemoval,
  segmentIds: readonly number[],
): Promise<number[]> {
  const { rows } = await connection.query<{ segmentId: number }>(
    `update segments set died = $2, died_at = to_timestamp($3)
     where context_id = $1 and segment_id = any($4::bigint[]) and died is null
     returning segment_id::float8 as "segmentId"`,
    [contextId, removedAt, at, segmentIds],
  );
  return rows.map(({ segmentId }) => segmentId);
}

/**
 * Marks as dead the roll-ups that were made of dead segments, and in turn the roll-ups made of
 * those.
 */
export async function markRollUpsRemoved(
  connection: Connection,
  { contextId, removedAt, at }: SegmentRemoval,
  segmentIds: readonly number[],
): Promise<void> {
  let sources = segmentIds;
  while (sources.length > 0) {
    const { rows } = await connection.query<{ segmentId: number }>(
      `update segments set died = $2, died_at = to_timestamp($3)
       where context_id = $1 and died is null and sources && $4::bigint[]
       returning segment_id::float8 as "segmentId"`,
      [contextId, removedAt, at, sources],
    );
    sources = rows.map(({ segmentId }) => segmentId);
  }
}

/** A context's numbers: the version of its data, and the layout of the data in segments. */
export type ContextNumbers = { readonly version: number; readonly layout: number };

/**
 * Raises the version of a context's data, once per transaction. Its row stays locked until the end.
 */
export const raiseVersion = (connection: Connection, contextId: number) =>
  connection.query('select raise_context_version($1)', [contextId]);

/**
 * Raises the layout number of a context. Its row stays locked until the end of the transaction, so
 * that numbers are committed in order. Null: the context is gone.
 */
export async function raiseLayout(
  connection: Connection,
  contextId: number,
): Promise<ContextNumbers | null> {
  const { rows } = await connection.query<ContextNumbers>(
    `update context_versions set layout = layout + 1 where context_id = $1
     returning version::float8 as version, layout::float8 as layout`,
    [contextId],
  );
  return rows[0] ?? null;
}

/**
 * Lets the commit of the open transaction return before it is flushed to disk. Use it only if a
 * crash may undo the transaction as a whole: everything committed later is undone with it, or not
 * at all.
 */
export const commitLate = (connection: Connection) =>
  connection.query('set local synchronous_commit = off');

/** Tries to take the lock for merging a context's segments, until the end of the transaction. */
export async function tryLockMerges(connection: Connection, contextId: number): Promise<boolean> {
  const { rows } = await connection.query<{ locked: boolean }>(
    'select pg_try_advisory_xact_lock($1, $2) as locked',
    [CONTEXT_MERGE_LOCK, contextId],
  );
  return rows[0]?.locked ?? false;
}

/** A row that was removed from the manifest. removedAt: a layout number of the context. */
type SweptRow = {
  readonly segmentId: number;
  readonly sliceId: number;
  readonly level: number;
  readonly removedAt: number;
};

type RemovedSegments = {
  readonly contextId: number;
  /** Died at this time or before, epoch seconds. */
  readonly removedBy: number;
  readonly limit: number;
};

/**
 * Removes dead segments from the manifest, those that were removed first; their pages stay. No open
 * snapshot sees the removed segments alive: each began after the transaction that marked them as
 * dead had ended. That transaction is the row's xmin, because nothing else updates rows of the
 * manifest. Its age is counted in transactions, like that of the oldest snapshot, whether of a
 * session here or of a standby that reports its own. A snapshot counts as old as the oldest
 * transaction that was writing anywhere on the server when it was taken, so rows may stay longer
 * than necessary, such as during a long import.
 */
export async function deleteRemovedSegments(
  connection: Connection,
  { contextId, removedBy, limit }: RemovedSegments,
): Promise<SweptRow[]> {
  const { rows } = await connection.query<SweptRow>(
    `delete from segments where segment_id = any(array(
       select s.segment_id from segments s
       where s.context_id = $1 and s.died is not null and s.died_at <= to_timestamp($2)
         and age(s.xmin) > (${OLDEST_SNAPSHOT})
       order by s.died limit $3))
     returning segment_id::float8 as "segmentId", slice_id as "sliceId", level,
       died::float8 as "removedAt"`,
    [contextId, removedBy, limit],
  );
  return rows;
}

/** SQL: the age of the oldest snapshot, ignoring that of this statement; 0 if there is none. */
const OLDEST_SNAPSHOT = `
  select coalesce(max(age(h.xmin)), 0) from (
    select backend_xmin as xmin from pg_stat_activity a
    where pid <> pg_backend_pid()
      and (datname = current_database() and ${isSessionOfUser('a')} or ${isSenderToStandby('a')})
    union all
    select xmin from pg_replication_slots
  ) h`;

/**
 * Records that segments of a context that died at this layout number or before may be gone from the
 * manifest.
 */
export const raiseSweptTo = (connection: Connection, contextId: number, layout: number) =>
  connection.query(
    'update context_versions set swept_to = greatest(swept_to, $2) where context_id = $1',
    [contextId, layout],
  );
