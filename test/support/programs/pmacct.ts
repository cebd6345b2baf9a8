import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, open, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import { setTimeout as delay } from 'node:timers/promises';
import { promisify } from 'node:util';
import { type CapturedPacket, pcapFile } from '../files/packet-capture.ts';
import { freePort } from './free-port.ts';

/** Debian's package pmacct, which `.ci/run` installs. */

/** What each `print` plugin aggregates by, and its other settings, by the plugin's name. */
export type PrintPlugins = Readonly<Record<string, readonly string[]>>;

/** Each plugin prints to a file of its own name. */
function settingsOf(plugins: PrintPlugins, folder: string): string[] {
  const names = Object.keys(plugins);
  return [
    `plugins: ${names.map((name) => `print[${name}]`).join(', ')}`,
    ...names.flatMap((name) => [
      `print_output[${name}]: json`,
      `print_output_file[${name}]: ${join(folder, name)}`,
      `print_output_file_append[${name}]: true`,
      `print_refresh_time[${name}]: 1`,
      ...(plugins[name] ?? []).map((line) => line.replace(':', `[${name}]:`)),
    ]),
  ];
}

const printed = (folder: string, name: string): Promise<string> =>
  readFile(join(folder, name), 'utf8').catch(() => '');

/**
 * What pmacctd prints for a capture, by plugin name. It would read a file two seconds after its
 * start, and lose what it passes to plugins, which are separate processes, before they are ready.
 * So it reads a named pipe, and the packets are written to it once the plugins are ready.
 */
export async function pmacctdLines(
  packets: readonly CapturedPacket[],
  plugins: PrintPlugins,
): Promise<Readonly<Record<string, string>>> {
  const folder = await mkdtemp(join(tmpdir(), 'countergraph-pmacct-'));
  const capture = join(folder, 'capture.pcap');
  const settings = join(folder, 'pmacctd.conf');
  await promisify(execFile)('mkfifo', [capture]);
  const lines = [`pcap_savefile: ${capture}`, ...settingsOf(plugins, folder)];
  await writeFile(settings, `${lines.join('\n')}\n`);
  // Opened for reading too: opening it only for writing would wait for a reader.
  const pipe = await open(capture, 'r+');
  const child = spawn('/usr/sbin/pmacctd', ['-f', settings], {
    stdio: ['ignore', 'ignore', 'pipe'],
    env: UTC,
  });
  const ended = once(child, 'exit');
  const file = pcapFile(packets);
  try {
    await pipe.write(file.subarray(0, PCAP_HEADER_BYTES));
    await saysThatItIsReady(child.stderr, 'PCAP capture file', Object.keys(plugins));
    await pipe.write(file.subarray(PCAP_HEADER_BYTES));
  } finally {
    await pipe.close();
  }
  // It exits at the end of the capture, after it has printed everything.
  await ended;
  const texts = Object.keys(plugins).map(async (name) => [name, await printed(folder, name)]);
  const all = Object.fromEntries(await Promise.all(texts)) as Record<string, string>;
  await rm(folder, { recursive: true });
  return all;
}

/** The header of a libpcap file: pmacctd starts its plugins once it has read it. */
const PCAP_HEADER_BYTES = 24;

/**
 * Runs pmacctd to the end of a capture. If a plugin finishes a moment before the main process,
 * pmacctd counts it as lost and exits with status 1, though everything was printed or exported.
 */
export async function runPmacctd(settings: string): Promise<void> {
  try {
    await promisify(execFile)('/usr/sbin/pmacctd', ['-f', settings], { env: UTC });
  } catch (error) {
    const { code, stderr } = error as { code?: unknown; stderr?: string };
    if (code !== 1 || !stderr?.includes('no more plugins active')) throw error;
  }
}

const UTC = { ...process.env, TZ: 'UTC' };

/** Starts nfacctd, a collector, on loopback. */
export async function startNfacctd(plugins: PrintPlugins) {
  const folder = await mkdtemp(join(tmpdir(), 'countergraph-nfacctd-'));
  const port = await freePort();
  const settings = join(folder, 'nfacctd.conf');
  const lines = ['nfacctd_ip: 127.0.0.1', `nfacctd_port: ${port}`, ...settingsOf(plugins, folder)];
  await writeFile(settings, `${lines.join('\n')}\n`);
  const child = spawn('/usr/sbin/nfacctd', ['-f', settings], {
    stdio: ['ignore', 'ignore', 'pipe'],
    env: UTC,
    detached: true,
  });
  const ended = once(child, 'exit');
  await saysThatItIsReady(child.stderr, 'waiting for NetFlow/IPFIX data', Object.keys(plugins));
  return {
    port,
    /** What a plugin has printed, once there are this many lines. */
    async lines(name: string, count: number): Promise<string> {
      const giveUpAt = Date.now() + 15_000;
      for (;;) {
        const text = await printed(folder, name);
        if (text.split('\n').length > count) return text;
        if (Date.now() > giveUpAt)
          throw new Error(`nfacctd has not printed ${count} lines: ${text}`);
        await delay(20);
      }
    },
    async stop(): Promise<void> {
      // Its plugins are separate processes, and it may wait for them forever.
      if (child.pid !== undefined) process.kill(-child.pid, 'SIGKILL');
      await ended;
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/** A plugin that has not yet purged its cache may lose what it is passed. */
async function saysThatItIsReady(
  stderr: Readable,
  listening: string,
  plugins: readonly string[],
): Promise<void> {
  const awaited = new Set(plugins);
  let listens = false;
  for await (const line of createInterface({ input: stderr })) {
    if (line.includes(listening)) listens = true;
    const [, plugin] = /\( (\S+)\/print \): \*{3} Purging cache - END/.exec(line) ?? [];
    if (plugin !== undefined) awaited.delete(plugin);
    if (!listens || awaited.size > 0) continue;
    stderr.resume();
    return;
  }
  throw new Error('it ended before it was ready');
}
