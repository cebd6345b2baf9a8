import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as delay } from 'node:timers/promises';
import { promisify } from 'node:util';
import { freePort } from './free-port.ts';

/** Debian's packages nfdump and nfdump-sflow, which `.ci/run` installs. */

/** A running nfcapd, or sfcapd for sFlow, that listens on loopback. */
export type Collector = {
  readonly port: number;
  /** Where it stores its files. */
  readonly folder: string;
  /** What `nfdump -o csv` prints for all stored flows. */
  csv(...options: string[]): Promise<string>;
  /** What nfdump prints for them in another format, such as `json`. */
  printed(form: string): Promise<string>;
  /** Resolves when completed files hold this many flows, or as many that pass a filter. */
  untilStored(flows: number, filter?: string): Promise<void>;
  /** Stops it and removes its files. */
  remove(): Promise<void>;
};

export type CollectorOptions = {
  readonly program?: 'nfcapd' | 'sfcapd';
  readonly parameters: readonly string[];
  readonly env?: NodeJS.ProcessEnv;
};

/** Starts the program with these additional parameters, and waits until it listens. */
export async function startCollector(options: CollectorOptions): Promise<Collector> {
  const { program = 'nfcapd', parameters, env } = options;
  const folder = await mkdtemp(join(tmpdir(), 'countergraph-nfcapd-'));
  const flows = join(folder, 'flows');
  await mkdir(flows);
  const port = await freePort();
  const address = ['-b', '127.0.0.1', '-p', String(port)];
  const child = spawn(program, [...address, '-w', flows, ...parameters], {
    stdio: ['ignore', 'ignore', 'pipe'],
    env: env ?? process.env,
  });
  const ended = once(child, 'exit');
  await saysThatItListens(child, program);
  const print = async (...arguments_: string[]): Promise<string> => {
    const all = ['-R', flows, '-o', ...arguments_];
    return (await promisify(execFile)('nfdump', all, { env: UTC, maxBuffer: 2 ** 26 })).stdout;
  };
  const csv = (...more: string[]): Promise<string> => print('csv', ...more);
  return {
    port,
    folder: flows,
    csv,
    printed: print,
    async untilStored(count, filter = 'any') {
      // The file being written has a different name, so nfdump skips it.
      while (storedFlows(await csv(filter)) < count) await delay(20);
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

async function saysThatItListens({ stderr }: ChildProcess, program: string): Promise<void> {
  if (stderr === null) throw new Error(`${program} was started without its standard error`);
  const said: string[] = [];
  for await (const line of createInterface({ input: stderr })) {
    said.push(line);
    if (line.startsWith(`Startup ${program}`)) {
      stderr.resume();
      return;
    }
  }
  throw new Error(`${program} did not start: ${said.join(' | ')}`);
}
