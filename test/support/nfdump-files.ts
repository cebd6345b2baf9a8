import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { type CapturedPacket, pcapFile } from './packet-capture.ts';

const run = promisify(execFile);

/** Debian's package nfdump, which `.ci/run` installs. */
export const hasNfdump = existsSync('/usr/bin/nfdump') && existsSync('/usr/bin/nfpcapd');

export type FlowFiles = {
  /** What `nfdump -o csv` prints of them, with more options, in a time zone. */
  csv(timeZone: string, ...options: string[]): Promise<string>;
  /** What nfdump prints of them in another form, as `json`. */
  printed(form: string, ...filter: string[]): Promise<string>;
  /** The files as the collector stores them. */
  paths(): Promise<string[]>;
  remove(): Promise<void>;
};

/** Flow files that nfdump's own collector has made of packets. */
export async function makeFlowFiles(packets: readonly CapturedPacket[]): Promise<FlowFiles> {
  const folder = await mkdtemp(join(tmpdir(), 'countergraph-nfdump-'));
  const capture = join(folder, 'capture.pcap');
  const flows = join(folder, 'flows');
  await mkdir(flows);
  await writeFile(capture, pcapFile(packets));
  await run('nfpcapd', ['-r', capture, '-w', flows, '-t', '3600']);
  return {
    async csv(timeZone, ...options) {
      const env = { ...process.env, TZ: timeZone };
      return (await run('nfdump', ['-R', flows, '-o', 'csv', ...options], { env })).stdout;
    },
    async printed(form, ...filter) {
      return (await run('nfdump', ['-R', flows, '-o', form, ...filter])).stdout;
    },
    async paths() {
      return (await readdir(flows)).map((name) => join(flows, name));
    },
    remove: () => rm(folder, { recursive: true, force: true }),
  };
}
