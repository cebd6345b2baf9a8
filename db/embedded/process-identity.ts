import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { hasCode } from './has-code.ts';

/** A process as it is written down in a file, to be recognised later. */
export type ProcessRecord = { readonly pid: number; readonly identity: string | null };

export const ownRecord = (): ProcessRecord => ({
  pid: process.pid,
  identity: processIdentity(process.pid),
});

/** What a file says; null where a crash left it empty or half written. */
export function parseRecord(text: string): ProcessRecord | null {
  try {
    return JSON.parse(text) as ProcessRecord;
  } catch {
    return null;
  }
}

export const isAlive = ({ pid, identity }: ProcessRecord): boolean =>
  processIdentity(pid) === identity;

/**
 * What tells a process from a later one that was given the same pid, or null when it is gone.
 * In a container that is started again our own pid is often the one that was written down before
 * the crash, so a pid alone says nothing.
 */
export function processIdentity(pid: number): string | null {
  if (existsSync('/proc/self/stat')) {
    return identityInProc(pid);
  }
  if (!isSignallable(pid)) {
    return null;
  }
  return process.platform === 'win32' ? 'alive' : startTimeByPs(pid);
}

function identityInProc(pid: number): string | null {
  const stat = readIfThere(`/proc/${pid}/stat`);
  if (stat === null) {
    return null;
  }
  // proc(5): the command's name stands in parentheses and may itself contain any; the state
  // follows it as field 3, the start time is field 22.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  const state = fields[0];
  const startTicks = fields[19];
  // A zombie has ended; where nobody collects it (PID 1 of a container) it stays for good.
  return state === 'Z' || state === 'X' ? null : `${bootId()} ${startTicks}`;
}

/** Start times count from the boot, so they could repeat after one. */
const bootId = (): string => (readIfThere('/proc/sys/kernel/random/boot_id') ?? '').trim();

function readIfThere(path: string): string | null {
  try {
    return readFileSync(path, 'latin1');
  } catch (error) {
    if (hasCode(error, 'ENOENT', 'ESRCH')) {
      return null;
    }
    throw error;
  }
}

function isSignallable(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    // EPERM: it is there and belongs to somebody else.
    return hasCode(error, 'EPERM');
  }
}

function startTimeByPs(pid: number): string | null {
  try {
    return execFileSync('ps', ['-o', 'lstart=', '-p', String(pid)], { encoding: 'utf8' }).trim();
  } catch {
    // ps ends with 1 when there is no such process any more.
    return null;
  }
}
