import { gzipSync } from 'node:zlib';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { createTestDatabase, type TestDatabase } from '../../support/database/database.ts';
import {
  ACK,
  type CapturedPacket,
  FIN,
  pingFrame,
  SYN,
  tcpFrame,
  tunnelFrame,
  udpFrame,
} from '../../support/files/packet-capture.ts';
import { type FlowFiles, makeFlowFiles } from '../../support/programs/nfdump-files.ts';
import { storedReadings } from '../../support/reference/stored-readings.ts';
import { importText, sums, traces } from '../import-support.ts';
import { textSource } from '../text-source.ts';

const START_MS = 1_700_000_309_500;

const request = { from: '10.0.0.1', to: '198.51.100.7', sourcePort: 51_000, port: 443 };
const answer = { from: '198.51.100.7', to: '10.0.0.1', sourcePort: 443, port: 51_000 };

/** A connection of 90 seconds with 1120 bytes one way and 480 the other, and some other flows. */
const PACKETS: readonly CapturedPacket[] = [
  [0, tcpFrame({ ...request, flags: SYN })],
  [20, tcpFrame({ ...answer, flags: SYN | ACK })],
  [1_000, udpFrame({ from: '10.0.0.2', to: '8.8.8.8', sourcePort: 5_000, port: 53 }, 30)],
  [1_005, pingFrame({ from: '10.0.0.2', to: '198.51.100.8' }, 56)],
  [2_000, udpFrame({ from: 'fd00::1', to: '2001:db8::7', sourcePort: 4_000, port: 53 }, 30)],
  [2_500, pingFrame({ from: 'fd00::1', to: '2001:db8::7' }, 56)],
  [60_000, tcpFrame({ ...request, flags: ACK }, 1_000)],
  [90_250, tcpFrame({ ...request, flags: ACK | FIN })],
  [90_260, tcpFrame({ ...answer, flags: ACK | FIN }, 400)],
].map(([afterMs, frame]) => ({ atMs: START_MS + Number(afterMs), frame: frame as Buffer }));

let database: TestDatabase;
let files: FlowFiles;

beforeEach(async () => {
  database = await createTestDatabase();
});
afterEach(() => database.drop());

const importCsv = (content: string | Buffer, options: object = {}) =>
  importText(textSource(content, { name: 'flows.csv' }), {
    databaseUrl: database.url,
    format: 'nfdump',
    ...options,
  });

describe('flow files of nfdump', () => {
  beforeAll(async () => {
    files = await makeFlowFiles(PACKETS);
  });
  afterAll(() => files.remove());

  it('are imported exactly to the byte', async () => {
    const csv = await files.csv('UTC');
    const report = await importCsv(csv);
    expect(report).toMatchObject({ format: 'nfdump', records: 7, badLines: { count: 0 } });
    const all = await sums(database.url);
    const summary = csv.trimEnd().split('\n').at(-1) ?? '';
    const [flows, bytes, packets] = summary.split(',');
    expect([flows, bytes, packets]).toEqual(['7', '1924', '9']);
    expect([all['Aggregates TOTALBW 1'], all['Aggregates TOTALBW 2']]).toEqual([bytes, packets]);
    expect(all).toMatchObject({
      'Hosts 0A.00.00.01 1': '1600',
      'Hosts 0A.00.00.01 2': '480',
      'Hosts 0A.00.00.01 3': '1120',
      'Apps 01.BB 1': '1600',
      'Apps 01.BB 2': '480',
      'Apps 01.BB 3': '1120',
      'Apps 00.35 1': '136',
      'Hosts × Apps 0A.00.00.01\\01.BB 1': '1600',
      'Hosts × Apps C6.33.64.07\\01.BB 1': '1600',
      'Protocols 06 1': '1600',
      'Protocols 11 1': '136',
      'Protocols 01 1': '84',
      'Protocols 3A 1': '104',
      'Hosts FD.00.00.00.00.00.00.00.00.00.00.00.00.00.00.01 3': '182',
    });
  });

  it('are spread over the time that nfdump prints, in any time zone', async () => {
    await importCsv(await files.csv('UTC'));
    const zones = ['America/New_York', 'Asia/Kolkata'];
    for (const timeZone of zones) {
      const csv = await files.csv(timeZone);
      await importCsv(csv, { context: timeZone, timeZone });
    }
    const bytes = async (context: string) =>
      (await storedReadings(database.url, context))
        .filter(
          ({ group, key, slot }) =>
            group === 'External Hosts' && key === 'C6.33.64.07' && slot === 1,
        )
        .map(({ bucket, value }) => [bucket, value]);
    // From second 29 on: 40 bytes back at once, 440 at the end, and ⌊1120 · 31 ÷ 90.25⌋ to it.
    for (const context of ['lab', ...zones]) {
      expect(await bytes(context)).toEqual([
        [1_700_000_280, 424n],
        [1_700_000_340, 1176n],
      ]);
    }
  });

  it.each([
    [443, '01.BB'],
    [53, '00.35'],
  ])('give port %d the bytes of nfdump in its own statistics', async (port, app) => {
    await importCsv(await files.csv('UTC'));
    const statistics = await files.csv('UTC', '-s', 'port/bytes');
    const [header = '', ...lines] = statistics.split('\n');
    const names = header.split(',');
    const line = lines.map((each) => each.split(',')).find((each) => each[4] === String(port));
    expect(names[4]).toBe('val');
    const bytes = line?.[names.indexOf('byt')];
    expect(Number(bytes)).toBeGreaterThan(100);
    expect((await sums(database.url))[`Apps ${app} 1`]).toBe(bytes);
  });

  it('count each direction under its port with --service-port destination', async () => {
    await importCsv(await files.csv('UTC'), { servicePort: 'destination' });
    expect(await sums(database.url)).toMatchObject({
      'Apps 01.BB 1': '1120',
      'Apps C7.38 1': '480',
    });
  });

  it('made with -B have one flow per connection, in both directions', async () => {
    const report = await importCsv(await files.csv('UTC', '-B'));
    expect(report.records).toBe(5);
    expect(await sums(database.url)).toMatchObject({
      'Aggregates TOTALBW 1': '1924',
      'Hosts 0A.00.00.01 2': '480',
      'Hosts 0A.00.00.01 5': '1',
      'Apps 01.BB 1': '1600',
      'Apps 01.BB 2': '480',
      'Apps 01.BB 3': '1120',
    });
  });

  it('in tunnels count once, as in the summary of nfdump', async () => {
    const far = { from: '192.0.2.1', to: '192.0.2.2' };
    const inside = { from: '10.0.0.3', to: '10.1.0.9', sourcePort: 40_000, port: 123 };
    const tunnelled = await makeFlowFiles([
      { atMs: START_MS, frame: tunnelFrame({ ...far, by: 'GRE' }, udpFrame(inside, 48)) },
      {
        atMs: START_MS + 300,
        frame: tunnelFrame({ ...far, by: 'IPIP' }, pingFrame({ from: '10.0.0.4', to: far.to }, 9)),
      },
      { atMs: START_MS + 500, frame: udpFrame({ ...inside, from: '10.0.0.5' }, 30) },
    ]);
    const csv = await tunnelled.csv('UTC');
    await tunnelled.remove();
    const report = await importCsv(csv);
    const [flows, bytes, packets] = (csv.trimEnd().split('\n').at(-1) ?? '').split(',');
    expect(String(report.records)).toBe(flows);
    expect(report.skipped).toEqual({ events: 0, tunnelLines: 2, notIp: 0 });
    const all = await sums(database.url);
    expect([all['Aggregates TOTALBW 1'], all['Aggregates TOTALBW 2']]).toEqual([bytes, packets]);
    expect(Object.keys(all).filter((key) => key.includes('00.00.00.00'))).toEqual([]);
  });

  it('may be compressed, and are refused the second time', async () => {
    const csv = await files.csv('UTC');
    await importCsv(gzipSync(csv));
    const before = await traces(database.url);
    await expect(importCsv(csv)).rejects.toThrow(/flows\.csv: its content is in context lab/);
    expect(await traces(database.url)).toEqual(before);
  });

  it('without a header are refused', async () => {
    await expect(importCsv(await files.csv('UTC', '-q'))).rejects.toThrow(
      'flows.csv, line 1: there is no header line before it',
    );
  });
});
