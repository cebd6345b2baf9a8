import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdtemp, open, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import { setTimeout as delay } from 'node:timers/promises';
import { promisify } from 'node:util';
import { freePort } from './collector.ts';
import { type CapturedPacket, pcapFile } from './packet-capture.ts';

/** Debian's package pmacct, which `.ci/run` installs. */
export const hasPmacct = existsSync('/usr/sbin/pmacctd') && existsSync('/usr/sbin/nfacctd');
if (!hasPmacct) console.warn('skipped: pmacct is not installed: apt-get install pmacct');

/** What its plugin `print` aggregates by, and more of its settings, by a name for the plugin. */
export type PrintPlugins = Readonly<Record<string, readonly string[]>>;

/** Each plugin prints into a file of its name. */
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
 * What pmacctd prints of a capture, by the name of the plugin. It would read a file two seconds after
 * its start, and lose what it hands on to plugins, which are processes of their own, before these are
 * ready. So it reads a named pipe, into which the packets are written when they are.
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
  // For reading too, so that it waits for nobody.
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
  // It ends with the capture, after it has printed what was in it.
  await ended;
  const texts = Object.keys(plugins).map(async (name) => [name, await printed(folder, name)]);
  const all = Object.fromEntries(await Promise.all(texts)) as Record<string, string>;
  await rm(folder, { recursive: true });
  return all;
}

/** It begins a file of libpcap, and pmacctd starts its plugins when it has read it. */
const PCAP_HEADER_BYTES = 24;

/**
 * Runs pmacctd over a capture, to its end. Where a plugin is done a moment before the main process,
 * pmacctd counts it as lost and exits with status 1, though all was printed or exported.
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

/** nfacctd, a collector, at work on the loopback. */
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
    /** What a plugin has printed, once it is so many lines. */
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
      // Its plugins are processes of their own, and it may wait for them forever.
      if (child.pid !== undefined) process.kill(-child.pid, 'SIGKILL');
      await ended;
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/** A plugin that has not purged its cache yet may lose what is handed on to it. */
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
