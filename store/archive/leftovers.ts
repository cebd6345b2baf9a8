import { existsSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { Connection } from '../../db/connection/connection.ts';
import { deleteLeftover, selectLeftovers } from '../../db/sql/archived-slices.ts';
import { partialOf } from '../../domain/slices/partial-file.ts';
import { reasonOf } from '../../domain/text/reason-of.ts';
import { fileInPool } from './pool-folder.ts';

/** A leftover file and the reason why it could not be removed. */
export type KeptFile = { readonly file: string; readonly reason: string };

/**
 * Removes files that no slice refers to: archives of restored or dropped slices, and files of
 * interrupted archiving. The caller holds the context. Returns the files that cannot be removed
 * now; the next process that works on the context's slices tries again.
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

/**
 * Returns null if the file is gone, otherwise the reason why it is not. A missing folder does not
 * count as removed: it means that the pool is not mounted here.
 */
async function removeFile(file: string): Promise<string | null> {
  if (!existsSync(dirname(file))) return 'its pool is not mounted here';
  try {
    await rm(file, { force: true });
    await rm(partialOf(file), { force: true });
    return null;
  } catch (error) {
    return reasonOf(error);
  }
}
