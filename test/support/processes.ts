import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { folderAt } from '../../db/embedded/data-folder.ts';
import { hasCode } from '../../db/embedded/has-code.ts';
import { processIdentity } from '../../db/embedded/process-identity.ts';
import { serverUserFor } from '../../db/embedded/server-user.ts';

export const isRunning = (pid: number): boolean => processIdentity(pid) !== null;

/** The pid of the server that works in a data folder, as it wrote it down itself. */
export async function postmasterPid(dataDir: string): Promise<number> {
  const file = join(folderAt(dataDir, undefined).pgdata, 'postmaster.pid');
  return Number((await readFile(file, 'utf8')).split('\n')[0]);
}

export function childrenOf(pid: number): number[] {
  const table = execFileSync('ps', ['-A', '-o', 'pid=,ppid='], { encoding: 'utf8' });
  return table
    .trim()
    .split('\n')
    .map((line) => line.trim().split(/\s+/).map(Number))
    .filter(([, parent]) => parent === pid)
    .map(([child = 0]) => child);
}

export const commandLineOf = (pid: number): string =>
  execFileSync('ps', ['-ww', '-o', 'args=', '-p', String(pid)], { encoding: 'utf8' });

/** Kills a server as a machine that loses its power does, at least for its processes. */
export function killServer(pid: number): void {
  for (const victim of [pid, ...childrenOf(pid)]) {
    try {
      process.kill(victim, 'SIGKILL');
    } catch (error) {
      // A child that has already ended after its parent is as dead as it should be.
      if (victim === pid || !hasCode(error, 'ESRCH')) throw error;
    }
  }
}

/** A process that lives until it is killed and has nothing to do with us. */
export async function startStranger(
  dataDir: string,
): Promise<{ pid: number; end(): Promise<void> }> {
  const user = await serverUserFor(folderAt(dataDir, undefined).pgdata);
  const child = spawn('sleep', ['3600'], { ...user, cwd: '/', stdio: 'ignore' });
  await once(child, 'spawn');
  const end = async () => {
    child.kill('SIGKILL');
    await once(child, 'exit');
  };
  return { pid: child.pid ?? 0, end };
}
