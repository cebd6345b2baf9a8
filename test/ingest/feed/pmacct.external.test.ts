import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createTestDatabase, type TestDatabase } from '../../support/database/database.ts';
import {
  type CapturedPacket,
  pcapFile,
  pingFrame,
  SYN,
  tcpFrame,
  udpFrame,
} from '../../support/files/packet-capture.ts';
import { startFeed } from '../../support/lab/feed-lab.ts';
import { startCollector } from '../../support/programs/collector.ts';
import { pmacctdLines, startNfacctd } from '../../support/programs/pmacct.ts';
import { importText, readingsOf, sums, traces } from '../import-support.ts';
import { textSource } from '../text-source.ts';

const START_MS = 1_700_000_309_500;

const QUERY = { from: '10.0.0.2', to: '8.8.8.8', sourcePort: 5_000, port: 53 };
const ANSWER = { from: '8.8.8.8', to: '10.0.0.2', sourcePort: 53, port: 5_000 };
const SYN_6 = { from: 'fd00::1', to: '2001:db8::7', sourcePort: 40_000, port: 443, flags: SYN };

const PACKETS: readonly CapturedPacket[] = [
  ...[0, 1, 2, 3].map((second) => ({
    atMs: START_MS + second * 1000,
    frame: udpFrame(QUERY, 30),
  })),
  { atMs: START_MS + 4000, frame: udpFrame(ANSWER, 300) },
  { atMs: START_MS + 5000, frame: tcpFrame(SYN_6, 100) },
  { atMs: START_MS + 6000, frame: pingFrame({ from: '10.0.0.3', to: '10.0.0.4' }, 10) },
  { atMs: START_MS + 7000, frame: pingFrame({ from: 'fd00::1', to: 'fd00::2' }, 10) },
];

const ENDS = 'src_host, dst_host, src_port, dst_port, proto';

let database: TestDatabase;

beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(() => database.drop());

const importLines = (lines: string | Buffer, options: object = {}) =>
  importText(textSource(lines, { name: 'flows.json' }), {
    databaseUrl: database.url,
    format: 'pmacct',
    ...options,
  });

/** The sums of lines that aggregate everything. */
function ownSum(lines: string): Record<'bytes' | 'packets', string> {
  let bytes = 0;
  let packets = 0;
  for (const line of lines.trim().split('\n')) {
    const record = JSON.parse(line) as { bytes: number; packets: number };
    bytes += record.bytes;
    packets += record.packets;
  }
  return { bytes: String(bytes), packets: String(packets) };
}

describe('what pmacctd prints', () => {
  let printed: Readonly<Record<string, string>>;

  beforeAll(async () => {
    printed = await pmacctdLines(PACKETS, {
      all: ['aggregate: none', 'print_history: 1m'],
      flows: [`aggregate: ${ENDS}, timestamp_start, timestamp_end`],
      binned: [`aggregate: ${ENDS}`, 'print_history: 1m', 'print_markers: true'],
      senders: ['aggregate: src_host', 'print_history: 1m'],
    });
  }, 60_000);

  it.each(['flows', 'binned', 'senders', 'all'])('adds up to its own total: %s', async (name) => {
    const own = ownSum(printed['all'] ?? '');
    const report = await importLines(printed[name] ?? '', { context: name });
    expect(report).toMatchObject({ badLines: { count: 0 }, format: 'pmacct' });
    expect(report.records).toBeGreaterThan(0);
    expect(await sums(database.url, name)).toMatchObject({
      'Aggregates TOTALBW 1': own.bytes,
      'Aggregates TOTALBW 2': own.packets,
    });
  });

  it('fills the groups whose keys its aggregates have, and no others', async () => {
    const groupsOf = async (name: string) => {
      await importLines(printed[name] ?? '', { context: `groups of ${name}` });
      const stored = Object.keys(await sums(database.url, `groups of ${name}`));
      return new Set(stored.map((key) => key.replace(/ \S+ \d$/, '')));
    };
    const all = await groupsOf('all');
    const senders = await groupsOf('senders');
    const flows = await groupsOf('flows');
    expect(all).toEqual(new Set(['Aggregates']));
    expect(senders).toEqual(new Set(['Aggregates', 'Hosts', 'Internal Hosts', 'External Hosts']));
    expect(flows).toEqual(new Set([...senders, 'Apps', 'Protocols', 'Hosts × Apps', 'Host pairs']));
  });

  it('counts under the service port, in both directions', async () => {
    await importLines(printed['flows'] ?? '', { context: 'ports' });
    const stored = await sums(database.url, 'ports');
    const own = ownSum(printed['all'] ?? '');
    const dns = Number(stored['Apps 00.35 1']);
    const https = Number(stored['Apps 01.BB 1']);
    const icmp = Number(stored['Protocols 01 1']) + Number(stored['Protocols 3A 1']);
    expect(String(dns + https + icmp)).toBe(own.bytes);
    expect(Object.keys(stored).filter((key) => key.startsWith('Apps ')).length).toBe(8);
  });

  it('gives the same compressed, and as a feed', async () => {
    const lines = printed['flows'] ?? '';
    await importLines(lines, { context: 'plain' });
    await importLines(gzipSync(lines), { context: 'packed' });
    const feed = startFeed({ databaseUrl: database.url, format: 'pmacct', context: 'feed' });
    feed.write(lines);
    feed.end();
    expect(await feed.done).toMatchObject({ badLines: 0 });
    const plain = await sums(database.url, 'plain');
    expect(await sums(database.url, 'packed')).toEqual(plain);
    expect(await sums(database.url, 'feed')).toEqual(plain);
  });

  it('has times in the given time zone', async () => {
    const lines = printed['flows'] ?? '';
    await importLines(lines, { timeZone: 'Asia/Tokyo', context: 'lab' });
    const start = (START_MS - (START_MS % 60_000)) / 1000 - 9 * 3600;
    const [first] = await readingsOf(database.url, { group: 'Protocols', start });
    expect(first).toMatch(/^\w+\+0 /);
  });

  it('is refused as another format, as a file and as a feed', async () => {
    const lines = printed['flows'] ?? '';
    const before = await traces(database.url);
    const context = 'refused';
    for (const format of ['nfdump', 'goflow2', 'zeek'] as const) {
      const refusal = 'these are lines of pmacct: import them with --format pmacct';
      await expect(importLines(lines, { format, context })).rejects.toThrow(
        `flows.json: ${refusal}`,
      );
      const feed = startFeed({ databaseUrl: database.url, format, skipBadLines: true });
      feed.write(lines);
      await expect(feed.done).rejects.toThrow(`the feed: ${refusal}`);
    }
    expect(await traces(database.url)).toEqual(before);
  });
});

describe('one exporter and two collectors, nfacctd and nfcapd', () => {
  it('give the same totals', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'countergraph-exporter-'));
    const capture = join(folder, 'capture.pcap');
    await writeFile(capture, pcapFile(PACKETS));
    const [nfacctd, nfcapd] = await Promise.all([
      startNfacctd({ flows: [`aggregate: ${ENDS}, timestamp_start, timestamp_end, flows`] }),
      startCollector({ parameters: ['-t', '2'] }),
    ]);
    try {
      for (const { port } of [nfacctd, nfcapd]) {
        const parameters = ['-D', '-r', capture, '-n', `127.0.0.1:${port}`, '-v', '10'];
        const own = ['-c', 'none', '-p', join(folder, 'pid'), '-A', 'milli'];
        await promisify(execFile)('/usr/sbin/softflowd', [...parameters, ...own]);
      }
      await nfcapd.untilStored(5);
      await importLines(await nfacctd.lines('flows', 5), { context: 'pmacct' });
      await importLines(await nfcapd.csv(), { context: 'nfdump', format: 'nfdump' });
    } finally {
      await Promise.all([nfacctd.stop(), nfcapd.remove()]);
      await rm(folder, { recursive: true });
    }
    const stored = await sums(database.url, 'pmacct');
    expect(stored).toEqual(await sums(database.url, 'nfdump'));
    expect(stored).toMatchObject({
      'Aggregates TOTALBW 1': String(4 * 58 + 328 + 160 + 38 + 58),
      'Aggregates TOTALBW 2': '8',
    });
  }, 30_000);
});
