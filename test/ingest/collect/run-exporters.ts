import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { Datagram } from '../../../ingest/datagrams/datagram.ts';
import { type CapturedPacket, pcapFile } from '../../support/files/packet-capture.ts';
import { runPmacctd } from '../../support/programs/pmacct.ts';
import { receiveDatagrams } from './receive-datagrams.ts';

/** Debian's packages softflowd and pmacct, which `.ci/run` installs. */

/** Exports a capture to a local port. */
export type Exporter = (capture: string, port: number, folder: string) => Promise<unknown>;

export const softflowd =
  (...options: readonly string[]): Exporter =>
  (capture, port, folder) => {
    const files = ['-r', capture, '-c', 'none', '-p', join(folder, 'pid')];
    const target = ['-n', `127.0.0.1:${port}`];
    return promisify(execFile)('/usr/sbin/softflowd', ['-D', ...files, ...target, ...options]);
  };

export const pmacctd =
  (plugin: 'nfprobe' | 'sfprobe', ...settings: readonly string[]): Exporter =>
  async (capture, port, folder) => {
    const path = join(folder, 'pmacctd.conf');
    const lines = [
      `pcap_savefile: ${capture}`,
      `plugins: ${plugin}`,
      `${plugin}_receiver: 127.0.0.1:${port}`,
      ...settings,
    ];
    await writeFile(path, `${lines.join('\n')}\n`);
    await runPmacctd(path);
  };

/** The datagrams that an exporter sends for these packets. */
export async function exportedDatagrams(
  exporter: Exporter,
  packets: readonly CapturedPacket[],
): Promise<readonly Datagram[]> {
  const folder = await mkdtemp(join(tmpdir(), 'countergraph-exporter-'));
  const capture = join(folder, 'capture.pcap');
  await writeFile(capture, pcapFile(packets));
  try {
    return await receiveDatagrams((port) => exporter(capture, port, folder));
  } finally {
    await rm(folder, { recursive: true });
  }
}
