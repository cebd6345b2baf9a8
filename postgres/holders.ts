import { randomUUID } from 'node:crypto';
import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { DataFolder } from './data-folder.ts';
import { isAlive, ownRecord, parseRecord } from './process-identity.ts';
import { giveTo } from './server-user.ts';

/**
 * Records that this process uses the server. The last process that uses the server stops it, no
 * matter which one started it. So a command that borrows the database of a running `serve` leaves
 * the server running; a `serve` that ends during an import leaves it to the import; and the server
 * of a process that was killed is stopped by the next process that uses it and ends. Call it under
 * the folder's lock.
 */
export async function addHolder(folder: DataFolder): Promise<string> {
  await mkdir(folder.holders, { recursive: true, mode: 0o700 });
  await giveTo(folder.user, folder.holders);
  const file = join(folder.holders, `${process.pid}-${randomUUID()}`);
  await writeFile(file, JSON.stringify(ownRecord()));
  return file;
}

export const removeHolder = (file: string): Promise<void> => rm(file, { force: true });

/**
 * Returns the pids of the processes that use the server, and forgets those that are gone. Call it
 * under the folder's lock.
 */
export async function liveHolders(folder: DataFolder): Promise<number[]> {
  const live: number[] = [];
  for (const name of await readdir(folder.holders)) {
    const file = join(folder.holders, name);
    const holder = parseRecord(await readFile(file, 'utf8'));
    if (holder !== null && isAlive(holder)) {
      live.push(holder.pid);
    } else {
      await removeHolder(file);
    }
  }
  return live;
}
