import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as delay } from 'node:timers/promises';
import { promisify } from 'node:util';
import { freePort } from './free-port.ts';

/** Debian's package nfdump, which `.ci/run` installs. */

/** A running nfcapd that listens on loopback. */
export type Collector = {
  readonly port: number;
  /** Where it stores its files. */
  readonly folder: string;
  /** What `nfdump -o csv` prints for all stored flows. */
  csv(...options: string[]): Promise<string>;
  /** Resolves when completed files hold this many flows. */
  untilStored(flows: number): Promise<void>;
  /** Stops it and removes its files. */
  remove(): Promise<void>;
};

export type CollectorOptions = {
  readonly parameters: readonly string[];
  readonly env?: NodeJS.ProcessEnv;
};

/** Starts nfcapd with these additional parameters, and waits until it listens. */
export async function startCollector({ parameters, env }: CollectorOptions): Promise<Collector> {
  const folder = await mkdtemp(join(tmpdir(), 'countergraph-nfcapd-'));
  const flows = join(folder, 'flows');
  await mkdir(flows);
  const port = await freePort();
  const address = ['-b', '127.0.0.1', '-p', String(port)];
  const child = spawn('nfcapd', [...address, '-w', flows, ...parameters], {
    stdio: ['ignore', 'ignore', 'pipe'],
    env: env ?? process.env,
  });
  const ended = once(child, 'exit');
  await saysThatItListens(child);
  const csv = async (...options: string[]): Promise<string> => {
    const all = ['-R', flows, '-o', 'csv', ...options];
    return (await promisify(execFile)('nfdump', all, { env: UTC })).stdout;
  };
  return {
    port,
    folder: flows,
    csv,
    async untilStored(count) {
      // The file being written has a different name, so nfdump skips it.
      while (storedFlows(await csv()) < count) await delay(20);
    },
    async remove() {
      child.kill('SIGTERM');
      await ended;
      await rm(folder, { recursive: true, force: true, maxRetries: 5 });
    },
  };
}

const UTC = { ...process.env, TZ: 'UTC' };

/** The first number of the summary's last line. */
const storedFlows = (csv: string): number =>
  Number.parseInt(csv.trimEnd().split('\n').at(-1) ?? '', 10);

async function saysThatItListens({ stderr }: ChildProcess): Promise<void> {
  if (stderr === null) throw new Error('nfcapd was started without its standard error');
  const said: string[] = [];
  for await (const line of createInterface({ input: stderr })) {
    said.push(line);
    if (line.startsWith('Startup nfcapd')) {
      stderr.resume();
      return;
    }
  }
  throw new Error(`nfcapd did not start: ${said.join(' | ')}`);
}
