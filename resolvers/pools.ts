import { readFile, realpath, statfs } from 'node:fs/promises';
import { sep } from 'node:path';
import { hasCode } from '../domain/has-code.ts';
import { type ContextView, requireSame } from './contexts.ts';
import type { PoolRow } from './loaders/node-loaders.ts';

/** A pool, with sizes in bytes. Unknown fields are null. */
export type PoolView = {
  readonly at: ContextView;
  readonly name: string;
  readonly status: string;
  readonly totalSize: bigint | null;
  readonly availSize: bigint | null;
  readonly fileSystem: string | null;
  readonly mounted: string | null;
  readonly offlineArchive: boolean;
  readonly offlineArchiveMounted: boolean;
  readonly additionalInfo: string | null;
};

/**
 * Decision 16. A pool's sizes are read from its mount point if this process can see it; otherwise
 * the declared sizes are used. Without declared pools, the database's own file system is the pool
 * `default`.
 */
export async function listPools(at: ContextView): Promise<PoolView[]> {
  const declared = await at.loaders.poolsByContext.load(at.contextId);
  for (const { contextName } of declared) requireSame(at, contextName);
  if (declared.length > 0) return Promise.all(declared.map((row) => viewPool(at, row)));
  const { localDataFolder } = await at.loaders.serverFacts();
  if (localDataFolder === null) return [];
  const pool = await viewPool(at, {
    ...UNDECLARED,
    contextId: at.contextId,
    contextName: at.name,
    path: localDataFolder,
  });
  return pool.totalSize === null ? [] : [pool];
}

const UNDECLARED: Omit<PoolRow, 'contextId' | 'contextName' | 'path'> = {
  name: 'default',
  status: 'online',
  totalSize: null,
  availSize: null,
  fileSystem: null,
  offlineArchive: false,
  offlineArchiveMounted: false,
  additionalInfo: null,
};

async function viewPool(at: ContextView, row: PoolRow): Promise<PoolView> {
  const seen = row.path === null ? null : await fileSystemAt(row.path);
  return {
    at,
    name: row.name,
    status: row.status,
    totalSize: seen?.totalSize ?? toBigInt(row.totalSize),
    availSize: seen?.availSize ?? toBigInt(row.availSize),
    // Only sizes take precedence over declared values (decision 16).
    fileSystem: row.fileSystem ?? seen?.type ?? null,
    mounted: row.path,
    offlineArchive: row.offlineArchive,
    offlineArchiveMounted: row.offlineArchiveMounted,
    additionalInfo: row.additionalInfo,
  };
}

const toBigInt = (text: string | null): bigint | null => (text === null ? null : BigInt(text));

/** Total bytes, and bytes free for an ordinary user; type as the system names it (ext4, xfs …). */
type FileSystem = {
  readonly totalSize: bigint;
  readonly availSize: bigint;
  readonly type: string | null;
};

/** Returns the file system that holds `path`; null if this process cannot see it. */
async function fileSystemAt(path: string): Promise<FileSystem | null> {
  try {
    const real = await realpath(path);
    const { bsize, blocks, bavail } = await statfs(real, { bigint: true });
    return { totalSize: bsize * blocks, availSize: bsize * bavail, type: await typeAt(real) };
  } catch (error) {
    if (isOutOfSight(error)) return null;
    throw error;
  }
}

const OUT_OF_SIGHT = ['ENOENT', 'ENOTDIR', 'EACCES', 'EPERM', 'ELOOP', 'ESTALE', 'EIO'] as const;

const isOutOfSight = (error: unknown): boolean => hasCode(error, ...OUT_OF_SIGHT);

/** Reads the type from Linux's list of mounts: several types share the number from statfs. */
async function typeAt(realPath: string): Promise<string | null> {
  let mounts: string;
  try {
    mounts = await readFile('/proc/self/mountinfo', 'utf8');
  } catch (error) {
    if (isOutOfSight(error)) return null;
    throw error;
  }
  let best = { length: -1, type: null as string | null };
  for (const line of mounts.split('\n')) {
    // proc(5): "… root mount-point options [optional fields] - type source options"
    const [left = '', right = ''] = line.split(' - ');
    const mountPoint = unescapeMount(left.split(' ')[4] ?? '');
    const type = right.split(' ')[0] ?? null;
    // A later mount on the same point hides the earlier one.
    if (holds(mountPoint, realPath) && mountPoint.length >= best.length) {
      best = { length: mountPoint.length, type };
    }
  }
  return best.type;
}

const holds = (mountPoint: string, path: string): boolean =>
  mountPoint !== '' &&
  (mountPoint === path || path.startsWith(mountPoint === sep ? sep : `${mountPoint}${sep}`));

/** Decodes spaces and similar characters, which are written as three octal digits. */
const unescapeMount = (text: string): string =>
  text.replaceAll(/\\([0-7]{3})/g, (_, octal: string) =>
    String.fromCharCode(Number.parseInt(octal, 8)),
  );
