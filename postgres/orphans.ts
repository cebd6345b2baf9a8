import { readdir, readFile, readlink, realpath } from 'node:fs/promises';
import { basename } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { hasCode } from '../domain/has-code.ts';
import { LIMITS } from '../domain/limits.ts';
import { isAlive, type ProcessRecord, processIdentity } from './process-identity.ts';

const POLL_MS = 10;

/**
 * Ends the processes that a killed postmaster left behind. Those that wait for a client notice by
 * themselves. One in the middle of a long statement does not: it keeps writing, and it keeps
 * another postmaster from starting, because it holds the shared memory. All get the signal that a
 * postmaster sends when one of its processes has crashed: to end immediately, because the
 * write-ahead log is replayed anyway. Does nothing while there is a postmaster. Only Linux shows
 * which folder a process belongs to; on other platforms, a start waits for the orphans to end.
 */
export async function endOrphans(pgdata: string): Promise<void> {
  if (process.platform !== 'linux') return;
  const orphans = await findOrphans(pgdata);
  for (const name of ['SIGQUIT', 'SIGKILL'] as const) {
    for (const { pid } of orphans.filter(isAlive)) sendIfThere(pid, name);
    const deadline = performance.now() + LIMITS.orphanGraceMs;
    while (orphans.some(isAlive) && performance.now() < deadline) await delay(POLL_MS);
  }
}

async function findOrphans(pgdata: string): Promise<ProcessRecord[]> {
  const folder = await realpath(pgdata);
  const pids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name));
  const found: { record: ProcessRecord; title: string }[] = [];
  for (const pid of pids) {
    const record = { pid: Number(pid), identity: processIdentity(Number(pid)) };
    const title = record.identity === null ? null : await titleOfServer(pid, folder);
    if (title !== null) found.push({ record, title });
  }
  // The title of a postmaster is its command line; the titles of its children say what they are.
  const hasPostmaster = found.some(({ title }) => !title.startsWith('postgres: '));
  return hasPostmaster ? [] : found.map(({ record }) => record);
}

/** Returns the title of a process; null if it is not PostgreSQL, or belongs to another folder. */
async function titleOfServer(pid: string, folder: string): Promise<string | null> {
  try {
    if ((await readlink(`/proc/${pid}/cwd`)) !== folder) return null;
    // A program whose file was replaced meanwhile is named `postgres (deleted)`.
    const program = basename(await readlink(`/proc/${pid}/exe`)).replace(/ \(deleted\)$/, '');
    return program === 'postgres' ? await readFile(`/proc/${pid}/cmdline`, 'latin1') : null;
  } catch (error) {
    // The process has ended meanwhile, or belongs to another user.
    if (hasCode(error, 'ENOENT', 'ESRCH', 'EACCES', 'EPERM')) return null;
    throw error;
  }
}

function sendIfThere(pid: number, name: 'SIGQUIT' | 'SIGKILL'): void {
  try {
    process.kill(pid, name);
  } catch (error) {
    if (!hasCode(error, 'ESRCH')) throw error;
  }
}
