import type { Connection } from '../connection/connection.ts';

/** A node besides the primary; either url or urlEnv is set. */
export type ContextNode = {
  name: string;
  role: 'dr' | 'replica';
  url: string | null;
  urlEnv: string | null;
  /** Whether it may answer requests that name no node. */
  share: boolean;
};

export async function selectNodes(
  connection: Connection,
  contextId: number,
): Promise<ContextNode[]> {
  const { rows } = await connection.query<ContextNode>(
    'select name, role, url, url_env as "urlEnv", share from nodes where context_id = $1',
    [contextId],
  );
  return rows;
}

/** Creates the node, or changes the one of that name. */
export const upsertNode = async (
  connection: Connection,
  contextId: number,
  { name, role, url, urlEnv, share }: ContextNode,
): Promise<void> => {
  await connection.query(
    `insert into nodes (context_id, name, role, url, url_env, share)
     values ($1, $2, $3, $4, $5, $6)
     on conflict (context_id, name) do update
     set role = excluded.role, url = excluded.url, url_env = excluded.url_env,
       share = excluded.share`,
    [contextId, name, role, url, urlEnv, share],
  );
};

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
