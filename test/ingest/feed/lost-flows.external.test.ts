import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { LostUnits } from '../../../domain/exporters.ts';
import { createTestDatabase, type TestDatabase } from '../../support/database/database.ts';
import { type CapturedPacket, pcapFile, udpFrame } from '../../support/files/packet-capture.ts';
import { startFeed } from '../../support/lab/feed-lab.ts';
import { startLossyRelay } from '../../support/programs/lossy-relay.ts';
import { runPmacctd, startNfacctd } from '../../support/programs/pmacct.ts';
import { importText, sums } from '../import-support.ts';
import { textSource } from '../text-source.ts';

/** NetFlow v5 has only times of the last few weeks. */
const START_MS = Date.now() - 3_600_000;
const now = () => Math.floor(Date.now() / 1000);
const FLOWS = 300;
const BYTES = 20 + 8 + 30;

/** FLOWS flows of one packet each. */
const PACKETS: readonly CapturedPacket[] = Array.from({ length: FLOWS }, (_, i) => ({
  atMs: START_MS + i,
  frame: udpFrame(
    { from: `10.0.${i >> 7}.${i % 128}`, to: '8.8.8.8', sourcePort: 5_000 + i, port: 53 },
    30,
  ),
}));

const AGGREGATE =
  'aggregate: src_host, dst_host, src_port, dst_port, proto, timestamp_start, timestamp_end, flows, ' +
  'peer_src_ip, export_proto_seqno, export_proto_version, export_proto_sysid';

let database: TestDatabase;
let folder: string;

beforeAll(async () => {
  database = await createTestDatabase();
  folder = await mkdtemp(join(tmpdir(), 'countergraph-lost-'));
  await writeFile(join(folder, 'capture.pcap'), pcapFile(PACKETS));
});
afterAll(async () => {
  await database.drop();
  await rm(folder, { recursive: true });
});

type Exporter = (port: number, version: string) => Promise<unknown>;

const softflowd: Exporter = (port, version) =>
  promisify(execFile)('/usr/sbin/softflowd', [
    '-D',
    '-r',
    join(folder, 'capture.pcap'),
    '-n',
    `127.0.0.1:${port}`,
    '-v',
    version,
    '-c',
    'none',
    '-p',
    join(folder, 'pid'),
    '-A',
    'milli',
  ]);

const pmacctd: Exporter = async (port, version) => {
  const settings = join(folder, 'pmacctd.conf');
  const lines = [
    `pcap_savefile: ${join(folder, 'capture.pcap')}`,
    'plugins: nfprobe',
    `nfprobe_receiver: 127.0.0.1:${port}`,
    `nfprobe_version: ${version}`,
    'aggregate: src_host, dst_host, src_port, dst_port, proto',
  ];
  await writeFile(settings, `${lines.join('\n')}\n`);
  await runPmacctd(settings);
};

const VERSIONS = { 'NetFlow v5': '5', 'NetFlow v9': '9', IPFIX: '10' } as const;

type Case = readonly [exporter: string, protocol: keyof typeof VERSIONS, run: Exporter];

const CASES: readonly Case[] = Object.keys(VERSIONS).flatMap((name) => {
  const protocol = name as keyof typeof VERSIONS;
  return [
    ['softflowd', protocol, softflowd],
    ['pmacctd', protocol, pmacctd],
  ] satisfies Case[];
});

type Printed = { readonly lines: string; readonly datagrams: number };

/** The lines that nfacctd prints for `flows` flows, while a relay drops some of the datagrams. */
async function printedLines(
  [, protocol, run]: Case,
  { flows, loses }: { flows: number; loses: readonly number[] },
): Promise<Printed> {
  const nfacctd = await startNfacctd({ flows: [AGGREGATE] });
  const relay = await startLossyRelay(nfacctd.port, loses);
  try {
    await run(relay.port, VERSIONS[protocol]);
    return { lines: await nfacctd.lines('flows', flows), datagrams: relay.count() };
  } finally {
    relay.stop();
    await nfacctd.stop();
  }
}

/** The number of flows in each datagram, in order. */
function datagramSizes(lines: string): number[] {
  const sizes = new Map<number, number>();
  for (const line of lines.trim().split('\n')) {
    const { export_proto_seqno: number, flows } = JSON.parse(line) as Record<string, number>;
    sizes.set(number ?? 0, (sizes.get(number ?? 0) ?? 0) + (flows ?? 0));
  }
  return [...sizes].sort(([a], [b]) => a - b).map(([, size]) => size);
}

const NOTHING: LostUnits = { flows: 0, packets: 0, datagrams: 0 };

describe.each(CASES)('%s, exporting %s to nfacctd', (...given) => {
  const [, protocol] = given;
  let whole: Printed;
  let sizes: readonly number[];

  beforeAll(async () => {
    whole = await printedLines(given, { flows: FLOWS, loses: [] });
    sizes = datagramSizes(whole.lines);
  }, 60_000);

  it('loses nothing if all its datagrams arrive', async () => {
    const context = `all of ${given.slice(0, 2).join()}`;
    const report = await importText(textSource(whole.lines), {
      databaseUrl: database.url,
      context,
      format: 'pmacct',
      now,
    });
    expect(report).toMatchObject({ records: FLOWS, lost: NOTHING, exporters: [] });
    expect(await sums(database.url, context)).toMatchObject({
      'Aggregates TOTALBW 1': String(FLOWS * BYTES),
      'Aggregates TOTALBW 2': String(FLOWS),
    });
  });

  it('loses the flows of a dropped datagram, as a file and as a feed', async () => {
    const lost = 2;
    const flows = sizes[lost] ?? 0;
    expect(flows).toBeGreaterThan(0);
    // Templates may have a separate datagram before all others.
    const loses = [whole.datagrams - sizes.length + lost];
    const { lines } = await printedLines(given, { flows: FLOWS - flows, loses });
    const expected = {
      lost: protocol === 'NetFlow v9' ? { ...NOTHING, packets: 1 } : { ...NOTHING, flows },
      exporters: [{ exporter: '127.0.0.1', domain: '0', protocol }],
    };
    const context = `some of ${given.slice(0, 2).join()}`;
    const target = { databaseUrl: database.url, format: 'pmacct', context } as const;
    expect(await importText(textSource(lines), { ...target, now })).toMatchObject(expected);
    const feed = startFeed({ ...target, context: `${context}, as a feed` });
    feed.write(lines);
    feed.end();
    expect(await feed.done).toMatchObject({ ...expected, flows: FLOWS - flows });
    expect(await sums(database.url, context)).toMatchObject({
      'Aggregates TOTALBW 1': String((FLOWS - flows) * BYTES),
    });
  }, 60_000);
});
