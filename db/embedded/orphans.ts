import { readdir, readFile, readlink, realpath } from 'node:fs/promises';
import { basename } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { LIMITS } from '../../domain/limits.ts';
import { hasCode } from './has-code.ts';
import { isAlive, type ProcessRecord, processIdentity } from './process-identity.ts';

const POLL_MS = 10;

/**
 * Ends the processes that a killed postmaster has left behind. Those that wait for a caller notice
 * by themselves; one that is in the middle of a long statement does not, goes on writing, and keeps
 * another postmaster from starting, as it holds the memory that all share. They are told what the
 * postmaster tells them when one of them has crashed: to end at once, as the write-ahead log is
 * replayed anyway. Nothing is done while there is a postmaster. Only Linux tells whose they are;
 * elsewhere a start waits for them.
 */
export async function endOrphans(pgdata: string): Promise<void> {
  if (process.platform !== 'linux') return;
  const orphans = await findOrphans(pgdata);
  for (const name of ['SIGQUIT', 'SIGKILL'] as const) {
    for (const { pid } of orphans.filter(isAlive)) sendIfThere(pid, name);
    const deadline = Date.now() + LIMITS.orphanGraceMs;
    while (orphans.some(isAlive) && Date.now() < deadline) await delay(POLL_MS);
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
  // A postmaster is called by its command line, all that it starts say what they are.
  const hasPostmaster = found.some(({ title }) => !title.startsWith('postgres: '));
  return hasPostmaster ? [] : found.map(({ record }) => record);
}

/** null: it is no PostgreSQL, or one of another folder. */
async function titleOfServer(pid: string, folder: string): Promise<string | null> {
  try {
    if ((await readlink(`/proc/${pid}/cwd`)) !== folder) return null;
    // A program that was replaced meanwhile is called `postgres (deleted)`.
    const program = basename(await readlink(`/proc/${pid}/exe`)).replace(/ \(deleted\)$/, '');
    return program === 'postgres' ? await readFile(`/proc/${pid}/cmdline`, 'latin1') : null;
  } catch (error) {
    // Gone meanwhile, or another user's.
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
