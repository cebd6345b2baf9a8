import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { hasCode } from '../../../domain/has-code.ts';
import { folderAt } from '../../../postgres/data-folder.ts';
import { processIdentity } from '../../../postgres/process-identity.ts';
import { serverUserFor } from '../../../postgres/server-user.ts';

export const isRunning = (pid: number): boolean => processIdentity(pid) !== null;

/** The pid that the server of a data folder has recorded there. */
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

/** Kills a server as a power failure does, as far as its processes are concerned. */
export function killServer(pid: number): void {
  for (const victim of [pid, ...childrenOf(pid)]) {
    try {
      process.kill(victim, 'SIGKILL');
    } catch (error) {
      // A child may already have exited because its parent did.
      if (victim === pid || !hasCode(error, 'ESRCH')) throw error;
    }
  }
}

/** An unrelated process, which lives until it is killed. */
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
