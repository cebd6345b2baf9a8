import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { hasCode } from '../domain/has-code.ts';

/** A process as recorded in a file, so that it can be recognised later. */
export type ProcessRecord = { readonly pid: number; readonly identity: string | null };

export const ownRecord = (): ProcessRecord => ({
  pid: process.pid,
  identity: processIdentity(process.pid),
});

/** Parses the content of such a file; null if a crash left it empty or half written. */
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
 * Returns what distinguishes a process from a later one with the same pid, or null if it is gone. A
 * pid alone proves nothing: when a container restarts, our own pid is often the one that was
 * recorded before the crash.
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
  // proc(5): the command's name is in parentheses and may itself contain parentheses; the state
  // follows it as field 3, and the start time is field 22.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  const state = fields[0];
  const startTicks = fields[19];
  // A zombie has ended. If nobody reaps it (PID 1 of a container), it stays for good.
  return state === 'Z' || state === 'X' ? null : `${bootId()} ${startTicks}`;
}

/** Start times count from the boot, so they could repeat after a reboot. */
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
    // EPERM: the process exists and belongs to another user.
    return hasCode(error, 'EPERM');
  }
}

function startTimeByPs(pid: number): string | null {
  try {
    return execFileSync('ps', ['-o', 'lstart=', '-p', String(pid)], { encoding: 'utf8' }).trim();
  } catch {
    // ps exits with 1 if the process no longer exists.
    return null;
  }
}
