import type { Connection } from '../../connection/connection.ts';
import type { StoredArchive } from './select-stored-slices.ts';

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
