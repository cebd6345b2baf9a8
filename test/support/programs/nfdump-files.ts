import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { type CapturedPacket, pcapFile } from '../files/packet-capture.ts';

const run = promisify(execFile);

/** Debian's package nfdump, which `.ci/run` installs. */

export type FlowFiles = {
  /** What `nfdump -o csv` prints for them in a time zone, with additional options. */
  csv(timeZone: string, ...options: string[]): Promise<string>;
  /** What nfdump prints for them in another format, such as `json`. */
  printed(form: string, ...filter: string[]): Promise<string>;
  /** The paths of the files that the collector stored. */
  paths(): Promise<string[]>;
  remove(): Promise<void>;
};

/** Makes flow files from packets with nfdump's own collector. */
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
