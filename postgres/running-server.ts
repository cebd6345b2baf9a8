import { execFile, execFileSync } from 'node:child_process';
import { readFile, readlink, realpath, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { promisify } from 'node:util';
import { hasCode } from '../domain/has-code.ts';
import { LIMITS } from '../domain/limits.ts';
import { processIdentity } from './process-identity.ts';

/** A postmaster running on a data folder. */
export type RunningServer = {
  readonly pid: number;
  readonly identity: string;
  readonly port: number;
};

/** The path of `pg_ctl`, which replaces signals on platforms without them. */
type Signaller = { readonly pgCtl: string };

type ServerStatus = 'starting' | 'ready' | 'standby' | 'stopping';

const POLL_MS = 20;

/** Time limit of an immediate shutdown, in which the server kills what is left of it within 5 s. */
const IMMEDIATE_STOP_MS = 15_000;

/**
 * Returns the server running on `pgdata`, or null. Ignores a postmaster.pid that a crash left
 * behind, and removes it if its pid now belongs to another process: PostgreSQL would refuse to
 * start with it there.
 */
export async function findRunningServer(pgdata: string): Promise<RunningServer | null> {
  const file = await readPidFile(pgdata);
  const identity = file === null ? null : processIdentity(file.pid);
  if (file === null || identity === null) {
    return null;
  }
  if (!(await isPostmaster(file.pid, pgdata))) {
    // A data folder that is in use after all is still protected: PostgreSQL also checks for the
    // shared memory of its inode.
    await rm(join(pgdata, 'postmaster.pid'), { force: true });
    return null;
  }
  return { pid: file.pid, identity, port: file.port };
}

/**
 * Returns the port on which the server of `pgdata` listens, or listened before it was killed; null
 * if it ended normally.
 */
export const recordedPort = async (pgdata: string): Promise<number | null> =>
  (await readPidFile(pgdata))?.port ?? null;

/** Waits until the server accepts connections. Returns false if it ended instead. */
export async function waitUntilReady(
  pgdata: string,
  { pid, identity }: Pick<RunningServer, 'pid' | 'identity'>,
): Promise<boolean> {
  const deadline = performance.now() + LIMITS.embeddedStartMs;
  while (processIdentity(pid) === identity) {
    const file = await readPidFile(pgdata);
    // `standby` means that the server accepts no connections yet.
    if (file?.pid === pid && file.status === 'ready') {
      return true;
    }
    if (performance.now() > deadline) {
      throw new Error(
        `The embedded PostgreSQL (process ${pid}) is not ready after ` +
          `${LIMITS.embeddedStartMs / 1000} seconds: see its log next to ${pgdata}`,
      );
    }
    await delay(POLL_MS);
  }
  return false;
}

/** Stops the server. Sessions are cut off; committed data are on disk. */
export async function stopServer(server: RunningServer, binaries: () => Promise<Signaller>) {
  await signal(server.pid, 'SIGINT', binaries);
  if (await isGoneWithin(server, LIMITS.embeddedStopMs)) {
    return;
  }
  await signal(server.pid, 'SIGQUIT', binaries);
  if (!(await isGoneWithin(server, IMMEDIATE_STOP_MS))) {
    throw new Error(`The embedded PostgreSQL (process ${server.pid}) does not end: kill it`);
  }
}

async function isGoneWithin({ pid, identity }: RunningServer, limitMs: number): Promise<boolean> {
  const deadline = performance.now() + limitMs;
  while (processIdentity(pid) === identity) {
    if (performance.now() > deadline) {
      return false;
    }
    await delay(POLL_MS);
  }
  return true;
}

async function signal(
  pid: number,
  name: 'SIGINT' | 'SIGQUIT',
  binaries: () => Promise<Signaller>,
): Promise<void> {
  if (process.platform === 'win32') {
    // Windows has no signals: PostgreSQL receives them through its own pipe.
    const { pgCtl } = await binaries();
    await promisify(execFile)(pgCtl, ['kill', name.slice('SIG'.length), String(pid)]);
    return;
  }
  try {
    process.kill(pid, name);
  } catch (error) {
    // The process has just ended by itself.
    if (!hasCode(error, 'ESRCH')) {
      throw error;
    }
  }
}

type PidFile = { readonly pid: number; readonly port: number; readonly status: ServerStatus };

/**
 * Reads postmaster.pid. Its lines (PostgreSQL, pidfile.h) are: pid, folder, start, port, socket,
 * address, key, status.
 */
async function readPidFile(pgdata: string): Promise<PidFile | null> {
  try {
    const lines = (await readFile(join(pgdata, 'postmaster.pid'), 'utf8')).split('\n');
    const status = (lines[7] ?? '').trim() as ServerStatus;
    const file = { pid: Number(lines[0]), port: Number(lines[3]), status };
    return file.pid > 0 && file.port > 0 ? file : null;
  } catch (error) {
    if (hasCode(error, 'ENOENT')) {
      return null;
    }
    throw error;
  }
}

/**
 * Returns whether a live process is the postmaster of this folder: a postmaster's working directory
 * is its data folder.
 */
async function isPostmaster(pid: number, pgdata: string): Promise<boolean> {
  try {
    return (await readlink(`/proc/${pid}/cwd`)) === (await realpath(pgdata));
  } catch (error) {
    if (hasCode(error, 'EACCES', 'EPERM')) {
      // The process belongs to another user, and PostgreSQL only runs on a folder of its own user.
      return false;
    }
    return process.platform === 'linux' ? false : commandMentions(pid, pgdata);
  }
}

function commandMentions(pid: number, pgdata: string): boolean {
  try {
    const command =
      process.platform === 'win32'
        ? execFileSync('tasklist', ['/FI', `PID eq ${pid}`, '/NH'], { encoding: 'utf8' })
        : execFileSync('ps', ['-ww', '-o', 'command=', '-p', String(pid)], { encoding: 'utf8' });
    return process.platform === 'win32'
      ? command.includes('postgres.exe')
      : command.includes(`-D ${pgdata}`);
  } catch {
    // ps exits with 1 if the process is gone.
    return false;
  }
}
