import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { folderAt } from '../../../postgres/data-folder.ts';

/** The parent of all other processes of the PostgreSQL server in a folder. */
function postmasterOf(dataDir: string): string {
  const file = join(folderAt(dataDir, undefined).pgdata, 'postmaster.pid');
  return readFileSync(file, 'utf8').split('\n')[0] ?? '';
}

const signalChildren = (name: string, postmaster: string) =>
  spawnSync('pkill', [`-${name}`, '-P', postmaster]);

const signal = (name: string, postmaster: string) => spawnSync('kill', [`-${name}`, postmaster]);

/** Freezes the server: its connections stay, but nothing answers until `resumeServer`. */
export function pauseServer({ dataDir }: { readonly dataDir: string }): void {
  const postmaster = postmasterOf(dataDir);
  signal('STOP', postmaster);
  signalChildren('STOP', postmaster);
}

export function resumeServer({ dataDir }: { readonly dataDir: string }): void {
  const postmaster = postmasterOf(dataDir);
  signalChildren('CONT', postmaster);
  signal('CONT', postmaster);
}

/** Kills a server as the loss of its machine would. It can be started again in its folder. */
export function killServer({ dataDir }: { readonly dataDir: string }): void {
  const postmaster = postmasterOf(dataDir);
  signal('STOP', postmaster);
  signalChildren('KILL', postmaster);
  signal('KILL', postmaster);
}
