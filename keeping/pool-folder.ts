import { createHash, randomBytes } from 'node:crypto';
import { mkdir, stat } from 'node:fs/promises';
import { dirname, isAbsolute, join } from 'node:path';
import type { Connection } from '../db/connection/connection.ts';
import { type ContextPool, selectPools } from '../db/write/declaration/select-pools.ts';
import type { StoredArchive } from '../db/write/slices/select-stored-slices.ts';
import { LIMITS } from '../domain/limits.ts';

/** A pool that files can be written to. */
export type ArchivePool = { readonly name: string; readonly path: string };

/** Where an archive lies. */
export type ArchivePlace = {
  readonly pool: string;
  /** From where the pool is mounted. */
  readonly path: string;
  readonly file: string;
};

/**
 * The pool of that name, or the only one there is. Errors: there is none, or several; it has no
 * folder, or this process cannot see it.
 */
export async function findPool(
  {
    connection,
    contextId,
    context,
  }: { connection: Connection; contextId: number; context: string },
  name: string | null,
): Promise<ArchivePool> {
  const pools = await selectPools(connection, contextId);
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
  throw new Error(`Context ${context} has no pool ${name}: its pools are ${names.join(', ')}`);
}

async function requireFolder({ name, path }: ArchivePool): Promise<void> {
  try {
    if ((await stat(path)).isDirectory()) return;
  } catch (error) {
    throw explainPool({ name, path }, error);
  }
  throw new Error(`Pool ${name}: ${path} is not a folder`);
}

/** A new place in a pool, in a folder of the context's own, which is made where it is not there. */
export async function newArchivePlace(
  pool: ArchivePool,
  context: string,
  sliceName: string,
): Promise<ArchivePlace> {
  const path = archivePath(context, sliceName, randomBytes(4).toString('hex'));
  const file = join(pool.path, path);
  try {
    await mkdir(dirname(file), { mode: 0o750 });
  } catch (error) {
    if (codeOf(error) !== 'EEXIST') throw explainPool(pool, error);
    await requireFolder({ name: pool.name, path: dirname(file) });
  }
  return { pool: pool.name, path, file };
}

/**
 * `CONTEXT/slice-20260715-1000.5f3a9c01.segments`. The hexadecimal part makes the name unique, also
 * where two databases share a pool. Nothing in a context's name leads out of its folder.
 */
export const archivePath = (context: string, sliceName: string, tag: string): string =>
  `${folderOf(context)}/${sliceName}.${tag}.segments`;

function folderOf(context: string): string {
  // Half of a surrogate pair is in no name; a dot is, and encodeURIComponent lets it through.
  const encoded = encodeURIComponent(context).replace(/^\.+/, (dots) => '%2E'.repeat(dots.length));
  if (encoded.length <= LIMITS.archiveFolderCharacters) return encoded;
  const digest = createHash('sha256').update(context).digest('hex').slice(0, 16);
  return `${encoded.slice(0, LIMITS.archiveFolderCharacters)}-${digest}`;
}

const PATH = /^[^/\\\0]+\/[^/\\\0]+$/;

/**
 * The file of a path in a pool; null where nobody knows where the pool is. A path is one folder and
 * one name: whatever stands in the database, nothing outside of the pool is read or removed.
 */
export function fileInPool(poolPath: string | null, path: string): string | null {
  if (poolPath === null || !isAbsolute(poolPath) || !PATH.test(path)) return null;
  if (path.split('/').some((part) => part === '.' || part === '..')) return null;
  return join(poolPath, path);
}

/** The file of an archive. Errors: its pool has no folder any more. */
export function fileOfArchive({ pool, poolPath, path }: StoredArchive): string {
  const file = fileInPool(poolPath, path);
  if (file !== null) return file;
  throw new Error(
    `Archive ${path} cannot be found: pool ${pool} has no folder; declare its path with ` +
      '`countergraph apply`',
  );
}

/** What went wrong with a file of a pool, in words that say what to do. */
export function explainPool({ name, path }: ArchivePool, error: unknown): unknown {
  const where = `Pool ${name} at ${path}`;
  const reason = REASONS[codeOf(error) ?? ''];
  return reason ? new Error(`${where} ${reason}`, { cause: error }) : error;
}

const CANNOT_WRITE = 'cannot be written to: give its folder to the user who runs this command';

const REASONS: Readonly<Record<string, string>> = {
  ENOENT: 'is not there: mount it, make the folder, or declare another path',
  ENOTDIR: 'is not a folder: declare another path',
  EACCES: CANNOT_WRITE,
  EPERM: CANNOT_WRITE,
  EROFS: 'is mounted read-only',
  ENOSPC: 'is full: the slice is as it was; make room, or use another pool with --pool',
  EDQUOT: 'has no room left for this user: the slice is as it was; use another pool with --pool',
  EFBIG: 'does not take so large a file: the slice is as it was; use another pool with --pool',
};

/** Node's code of an error of the file system. */
export const codeOf = (error: unknown): string | null =>
  error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : null;
