import type { Connection } from '../../connection/connection.ts';
import { isSenderToStandby, isSessionOfUser } from '../../session-kinds.ts';

/** A row that was removed from the manifest. died: a layout number of the context. */
export type SweptRow = {
  readonly segmentId: number;
  readonly sliceId: number;
  readonly level: number;
  readonly died: number;
};

export type DeadSegments = {
  readonly contextId: number;
  /** Died at this time or before, epoch seconds. */
  readonly diedBy: number;
  readonly limit: number;
};

/**
 * Removes dead segments from the manifest, the oldest deaths first; their pages stay. No open
 * snapshot sees the removed segments alive: each began after the transaction that marked them as
 * dead had ended. That transaction is the row's xmin, because nothing else updates rows of the
 * manifest. Its age is counted in transactions, like that of the oldest snapshot, whether of a
 * session here or of a standby that reports its own. A snapshot counts as old as the oldest
 * transaction that was writing anywhere on the server when it was taken, so rows may stay longer
 * than necessary, such as during a long import.
 */
export async function deleteDeadSegments(
  connection: Connection,
  { contextId, diedBy, limit }: DeadSegments,
): Promise<SweptRow[]> {
  const { rows } = await connection.query<SweptRow>(
    `delete from segments where segment_id = any(array(
       select s.segment_id from segments s
       where s.context_id = $1 and s.died is not null and s.died_at <= to_timestamp($2)
         and age(s.xmin) > (${OLDEST_SNAPSHOT})
       order by s.died limit $3))
     returning segment_id::float8 as "segmentId", slice_id as "sliceId", level,
       died::float8 as died`,
    [contextId, diedBy, limit],
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
