import { createHash, randomBytes } from 'node:crypto';
import { mkdir, stat } from 'node:fs/promises';
import { dirname, isAbsolute, join } from 'node:path';
import type { Connection } from '../../db/connection/connection.ts';
import { errorCode } from '../../db/database-error.ts';
import type { StoredArchive } from '../../db/sql/archived-slices.ts';
import { type ContextPool, selectContextPools } from '../../db/sql/nodes-and-pools.ts';
import { hasCode } from '../../domain/has-code.ts';
import { LIMITS } from '../../domain/limits.ts';

/** A pool with a folder for archive files. */
export type ArchivePool = { readonly name: string; readonly path: string };

/** The location of an archive. */
type ArchiveLocation = {
  readonly pool: string;
  /** Relative to the pool's mount point. */
  readonly path: string;
  readonly file: string;
};

/**
 * Finds the pool with the given name, or the only pool if no name is given. Errors: no pool or
 * several pools match; the pool has no folder; this process cannot access the folder.
 */
export async function findPool(
  {
    connection,
    contextId,
    context,
  }: { connection: Connection; contextId: number; context: string },
  name: string | null,
): Promise<ArchivePool> {
  const pools = await selectContextPools(connection, contextId);
  const pool = choosePool(pools, { name, context });
  const { path } = pool;
  const declare = `declare its path with \`countergraph apply\`: "pools": [{ "name": ${JSON.stringify(pool.name)}, "path": "/data/archive" }]`;
  if (path === null) throw new Error(`Pool ${pool.name} has no folder: ${declare}`);
  if (!isAbsolute(path)) {
    throw new Error(`Pool ${pool.name} must have a path from the root, got ${path}: ${declare}`);
  }
  if (pool.status === 'offline') {
    throw new Error(`Pool ${pool.name} is declared offline: use another with --pool`);
  }
  await requireFolder({ name: pool.name, path });
  return { name: pool.name, path };
}

function choosePool(
  pools: readonly ContextPool[],
  { name, context }: { name: string | null; context: string },
): ContextPool {
  const names = pools.map((pool) => pool.name).sort();
  const found = name === null ? pools : pools.filter((pool) => pool.name === name);
  const [only] = found;
  if (only && found.length === 1) return only;
  if (pools.length === 0) {
    throw new Error(
      `Context ${context} has no pool to archive to: declare one with \`countergraph apply\`, ` +
        'as { "context": …, "pools": [{ "name": "archive", "path": "/data/archive" }] }',
    );
  }
  if (name === null) {
    throw new Error(
      `Context ${context} has several pools: choose with --pool ${names.join(' or ')}`,
    );
  }
  throw noPool({ context, name, names });
}

type UnknownPool = {
  readonly context: string;
  readonly name: string;
  readonly names: readonly string[];
};

/** Makes the error for a name that none of the context's pools has. */
export function noPool({ context, name, names }: UnknownPool): Error {
  const those = names.length > 0 ? `its pools are ${names.join(', ')}` : 'it has no pools';
  return new Error(`Context ${context} has no pool ${name}: ${those}`);
}

async function requireFolder({ name, path }: ArchivePool): Promise<void> {
  try {
    if ((await stat(path)).isDirectory()) return;
  } catch (error) {
    throw explainPool({ name, path }, error);
  }
  throw new Error(`Pool ${name}: ${path} is not a folder`);
}

/**
 * Returns a new archive location in the context's folder of the pool. Creates the folder if needed.
 */
export async function newArchiveLocation(
  pool: ArchivePool,
  context: string,
  sliceName: string,
): Promise<ArchiveLocation> {
  const path = archivePath(context, sliceName, randomBytes(4).toString('hex'));
  const file = join(pool.path, path);
  try {
    await mkdir(dirname(file), { mode: 0o750 });
  } catch (error) {
    if (!hasCode(error, 'EEXIST')) throw explainPool(pool, error);
    await requireFolder({ name: pool.name, path: dirname(file) });
  }
  return { pool: pool.name, path, file };
}

/**
 * Returns a path such as `CONTEXT/slice-20260715-1000.5f3a9c01.segments`. The hexadecimal tag keeps
 * names unique even if two databases share a pool. No context name can lead out of its folder.
 */
export const archivePath = (context: string, sliceName: string, tag: string): string =>
  `${folderOf(context)}/${sliceName}.${tag}.segments`;

function folderOf(context: string): string {
  // A name cannot contain a lone surrogate, but it can start with a dot, which encodeURIComponent
  // keeps.
  const encoded = encodeURIComponent(context).replace(/^\.+/, (dots) => '%2E'.repeat(dots.length));
  if (encoded.length <= LIMITS.archiveFolderCharacters) return encoded;
  const digest = createHash('sha256').update(context).digest('hex').slice(0, 16);
  return `${encoded.slice(0, LIMITS.archiveFolderCharacters)}-${digest}`;
}

const PATH = /^[^/\\\0]+\/[^/\\\0]+$/;

/**
 * Returns the file for a path in a pool; null if the pool's location is unknown or the path is
 * invalid. A path is one folder and one name, so nothing outside the pool is read or removed,
 * whatever the database contains.
 */
export function fileInPool(poolPath: string | null, path: string): string | null {
  if (poolPath === null || !isAbsolute(poolPath) || !PATH.test(path)) return null;
  if (path.split('/').some((part) => part === '.' || part === '..')) return null;
  return join(poolPath, path);
}

/** Returns the file of an archive. Errors: its pool no longer has a folder. */
export function fileOfArchive({ pool, poolPath, path }: StoredArchive): string {
  const file = fileInPool(poolPath, path);
  if (file !== null) return file;
  throw new Error(
    `Archive ${path} cannot be found: pool ${pool} has no folder; declare its path with ` +
      '`countergraph apply`',
  );
}

/** Turns a file error in a pool into a message that says what to do. */
export function explainPool({ name, path }: ArchivePool, error: unknown): unknown {
  const where = `Pool ${name} at ${path}`;
  const reason = REASONS[errorCode(error) ?? ''];
  return reason ? new Error(`${where} ${reason}`, { cause: error }) : error;
}

const CANNOT_WRITE = 'cannot be written to: make its folder writable for the user of this command';

const REASONS: Readonly<Record<string, string>> = {
  ENOENT: 'does not exist: mount it, create the folder, or declare another path',
  ENOTDIR: 'is not a folder: declare another path',
  EACCES: CANNOT_WRITE,
  EPERM: CANNOT_WRITE,
  EROFS: 'is mounted read-only: mount it for writing, or use another pool with --pool',
  ENOSPC: 'is full: the slice is unchanged; free space, or use another pool with --pool',
  EDQUOT: 'has no space left for this user: the slice is unchanged; use another pool with --pool',
  EFBIG: 'cannot hold a file of this size: the slice is unchanged; use another pool with --pool',
};
