import type { Connection } from '../../connection/connection.ts';
import type { ContextPool } from './select-pools.ts';

/** Creates the pool, or changes the one of that name. */
export const upsertPool = async (
  connection: Connection,
  contextId: number,
  pool: ContextPool,
): Promise<void> => {
  await connection.query(
    `insert into pools (context_id, name, status, total_size, avail_size, file_system, path,
       offline_archive, offline_archive_mounted, additional_info)
     values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)
     on conflict (context_id, name) do update
     set status = excluded.status, total_size = excluded.total_size,
       avail_size = excluded.avail_size, file_system = excluded.file_system, path = excluded.path,
       offline_archive = excluded.offline_archive,
       offline_archive_mounted = excluded.offline_archive_mounted,
       additional_info = excluded.additional_info`,
    [
      contextId,
      pool.name,
      pool.status,
      pool.totalSize,
      pool.availSize,
      pool.fileSystem,
      pool.path,
      pool.offlineArchive,
      pool.offlineArchiveMounted,
      pool.additionalInfo,
    ],
  );
};
