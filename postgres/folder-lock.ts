import { randomUUID } from 'node:crypto';
import { link, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { setTimeout as delay } from 'node:timers/promises';
import { hasCode } from '../domain/has-code.ts';
import { isAlive, ownRecord, parseRecord } from './process-identity.ts';

const RETRY_MS = 50;

/**
 * Runs `work` while holding the lock file, so that no other process runs its own work under it.
 * Waits up to `waitMs` for the lock. Takes over the lock of a process that was killed.
 */
export async function withFolderLock<T>(
  file: string,
  waitMs: number,
  work: () => Promise<T>,
): Promise<T> {
  const own = await takeLock(file, performance.now() + waitMs);
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
    } else if (performance.now() > deadline) {
      throw new Error(
        `${file} is held by process ${holder?.pid ?? '?'}, which does not release it: ` +
          'wait for that process or end it',
      );
    } else {
      await delay(RETRY_MS);
    }
  }
  return own;
}

/**
 * Creates the file with its content in one step, so that nobody reads half a lock. Returns false if
 * the file exists.
 */
async function createWhole(file: string, content: string, nonce: string): Promise<boolean> {
  const draft = `${file}.${nonce}`;
  try {
    await writeFile(draft, content);
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
 * Removes the lock of a process that is gone. If several processes find the same stale lock, a late
 * one may move a new lock away instead; it notices by the content and puts the lock back. If a
 * third process takes the lock in that moment, two work at once. That costs an error message but no
 * data: a cluster is renamed to its path only when complete, and PostgreSQL starts only once in a
 * data folder.
 */
async function breakLock(file: string, stale: string): Promise<void> {
  const aside = `${file}.${randomUUID()}`;
  try {
    await rename(file, aside);
    if ((await readLock(aside)) !== stale) {
      await link(aside, file);
    }
  } catch (error) {
    // ENOENT: another process removed it first. EEXIST: another process holds the lock by now.
    if (!hasCode(error, 'ENOENT', 'EEXIST')) {
      throw error;
    }
  } finally {
    await rm(aside, { force: true });
  }
}
