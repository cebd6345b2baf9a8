import { fileSystemAt } from '../engine/snapshot/file-system.ts';
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
