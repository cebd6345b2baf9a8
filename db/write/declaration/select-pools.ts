import type { Connection } from '../../connection/connection.ts';

/** Sizes in bytes. path: where the pool is mounted. */
export type ContextPool = {
  name: string;
  status: string;
  totalSize: number | null;
  availSize: number | null;
  fileSystem: string | null;
  path: string | null;
  offlineArchive: boolean;
  offlineArchiveMounted: boolean;
  additionalInfo: string | null;
};

export async function selectContextPools(
  connection: Connection,
  contextId: number,
): Promise<ContextPool[]> {
  // float8 holds every size that can be declared, and arrives as a number.
  const { rows } = await connection.query<ContextPool>(
    `select name, status, total_size::float8 as "totalSize", avail_size::float8 as "availSize",
       file_system as "fileSystem", path, offline_archive as "offlineArchive",
       offline_archive_mounted as "offlineArchiveMounted", additional_info as "additionalInfo"
     from pools where context_id = $1`,
    [contextId],
  );
  return rows;
}
