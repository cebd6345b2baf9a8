import { randomUUID } from 'node:crypto';
import { link, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { setTimeout as delay } from 'node:timers/promises';
import { hasCode } from './has-code.ts';
import { isAlive, ownRecord, parseRecord } from './process-identity.ts';

const RETRY_MS = 50;

/**
 * Runs `work` while no other process runs its own under the same lock file; waits for it up to
 * `waitMs`. The lock of a process that was killed is taken over.
 */
export async function withFolderLock<T>(
  file: string,
  waitMs: number,
  work: () => Promise<T>,
): Promise<T> {
  const own = await takeLock(file, Date.now() + waitMs);
  try {
    return await work();
  } finally {
    if ((await readLock(file)) === own) {
      await rm(file, { force: true });
    }
  }
}

async function takeLock(file: string, deadline: number): Promise<string> {
  const nonce = randomUUID();
  const own = JSON.stringify({ ...ownRecord(), nonce });
  while (!(await createWhole(file, own, nonce))) {
    const other = await readLock(file);
    const holder = other === null ? null : parseRecord(other);
    if (other !== null && (holder === null || !isAlive(holder))) {
      await breakLock(file, other);
    } else if (Date.now() > deadline) {
      throw new Error(
        `${file} is held by process ${holder?.pid ?? '?'}, which does not let go of it: ` +
          'wait for that process or end it',
      );
    } else {
      await delay(RETRY_MS);
    }
  }
  return own;
}

/** Creates the file with its content in one step, so that nobody reads half a lock. */
async function createWhole(file: string, content: string, nonce: string): Promise<boolean> {
  const draft = `${file}.${nonce}`;
  await writeFile(draft, content);
  try {
    await link(draft, file);
    return true;
  } catch (error) {
    if (hasCode(error, 'EEXIST')) {
      return false;
    }
    throw error;
  } finally {
    await rm(draft, { force: true });
  }
}

async function readLock(file: string): Promise<string | null> {
  try {
    return await readFile(file, 'utf8');
  } catch (error) {
    if (hasCode(error, 'ENOENT')) {
      return null;
    }
    throw error;
  }
}

/**
 * Removes the lock of a process that is gone. Of several processes that find it so, one may come
 * late and move a new lock away instead: it sees that by the content and puts it back. Should a
 * third have taken the free place in that moment, two work at once, which costs an error message
 * but no data: a cluster is renamed into place whole, and PostgreSQL starts once in a data folder.
 */
async function breakLock(file: string, stale: string): Promise<void> {
  const aside = `${file}.${randomUUID()}`;
  try {
    await rename(file, aside);
    if ((await readLock(aside)) !== stale) {
      await link(aside, file);
    }
  } catch (error) {
    // ENOENT: somebody else removed it first. EEXIST: somebody else has the lock by now.
    if (!hasCode(error, 'ENOENT', 'EEXIST')) {
      throw error;
    }
  } finally {
    await rm(aside, { force: true });
  }
}
