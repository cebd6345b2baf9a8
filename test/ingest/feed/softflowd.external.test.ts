import { execFile } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createTestDatabase, type TestDatabase } from '../../support/database/database.ts';
import { type CapturedPacket, pcapFile, udpFrame } from '../../support/files/packet-capture.ts';
import { type Collector, startCollector } from '../../support/programs/collector.ts';
import { importText, sums } from '../import-support.ts';
import { textSource } from '../text-source.ts';

const START_MS = 1_700_000_309_100;

const query = { from: '10.0.0.2', to: '8.8.8.8', sourcePort: 5_000, port: 53 };
const slow = { from: '10.0.0.3', to: '8.8.4.4', sourcePort: 5_001, port: 53 };

/** One flow within a second, and one of 90 seconds. */
const PACKETS: readonly CapturedPacket[] = [
  { atMs: START_MS, frame: udpFrame(query, 30) },
  { atMs: START_MS + 200, frame: udpFrame(slow, 30) },
  { atMs: START_MS + 400, frame: udpFrame(query, 30) },
  { atMs: START_MS + 90_200, frame: udpFrame(slow, 30) },
];

let collector: Collector;
let database: TestDatabase;

beforeEach(async () => {
  database = await createTestDatabase();
  collector = await startCollector({ parameters: ['-t', '2'] });
});
afterEach(async () => {
  await collector.remove();
  await database.drop();
});

/** Exports the packets as IPFIX, with the times of the capture. */
async function exportPackets(...options: string[]): Promise<string> {
  const capture = join(collector.folder, '..', 'capture.pcap');
  await writeFile(capture, pcapFile(PACKETS));
  const target = `127.0.0.1:${collector.port}`;
  const own = ['-c', 'none', '-p', join(collector.folder, '..', 'pid')];
  const parameters = ['-D', '-r', capture, '-n', target, '-v', '10', ...own, ...options];
  await promisify(execFile)('/usr/sbin/softflowd', parameters);
  await collector.untilStored(2);
  return collector.csv();
}

const importCsv = (csv: string, options: object = {}) =>
  importText(textSource(csv, { name: 'flows.csv' }), {
    databaseUrl: database.url,
    format: 'nfdump',
    ...options,
  });

describe('what softflowd exports as IPFIX', () => {
  it('has impossible durations, which the import replaces if the times make sense', async () => {
    const csv = await exportPackets('-a');
    expect(csv.match(/,1844674407370\d{4}\.000,/g)).toHaveLength(2);
    const report = await importCsv(csv, { skipBadLines: true });
    // The flow within a second has the same second as its start and its end.
    expect(report.records).toBe(1);
    expect(await sums(database.url)).toMatchObject({ 'Hosts 0A.00.00.02 1': '116' });
    expect(report.badLines.named.map(({ reason }) => reason)).toEqual([
      expect.stringMatching(
        /^td must be .*, got "1844674407370\d{4}\.000": the exporter says that the flow ended, at 2023-11-14 22:18:29, before it started, at 2023-11-14 22:19:59\. softflowd .* -A milli/,
      ),
    ]);
  });

  it('is right with the option that the message recommends', async () => {
    const report = await importCsv(await exportPackets('-A', 'milli'));
    expect(report).toMatchObject({ records: 2, badLines: { count: 0 } });
    expect(await sums(database.url)).toMatchObject({
      'Hosts 0A.00.00.02 1': '116',
      'Hosts 0A.00.00.03 1': '116',
    });
  });
});
