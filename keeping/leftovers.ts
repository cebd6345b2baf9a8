import { existsSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { Connection } from '../db/connection/connection.ts';
import { deleteLeftover, selectLeftovers } from '../db/write/slices/archive-leftovers.ts';
import { partialOf } from '../domain/slices/partial-file.ts';
import { fileInPool } from './pool-folder.ts';

/** A file that should not be there, and why it is. */
export type KeptFile = { readonly file: string; readonly reason: string };

/**
 * Removes the files that no slice names: of slices that were restored or dropped, and of archiving
 * that was cut off. The context is held. Returns those that cannot be removed now; they are tried
 * again by whoever works on the context's slices next.
 */
export async function removeLeftovers(
  connection: Connection,
  contextId: number,
): Promise<KeptFile[]> {
  const kept: KeptFile[] = [];
  for (const leftover of await selectLeftovers(connection, contextId)) {
    const file = fileInPool(leftover.poolPath, leftover.path);
    const reason = file === null ? 'its pool has no folder' : await removeFile(file);
    if (reason === null) await deleteLeftover(connection, contextId, leftover);
    else kept.push({ file: file ?? `${leftover.pool}: ${leftover.path}`, reason });
  }
  return kept;
}

/** null: it is gone. Without its folder it is not: then the pool is not mounted here. */
async function removeFile(file: string): Promise<string | null> {
  if (!existsSync(dirname(file))) return 'its pool is not mounted here';
  try {
    await rm(file, { force: true });
    await rm(partialOf(file), { force: true });
    return null;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}
