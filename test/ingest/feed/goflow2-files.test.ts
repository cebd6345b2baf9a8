import { gzipSync } from 'node:zlib';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createTestDatabase, type TestDatabase } from '../../support/database/database.ts';
import { importText, readingsOf, sums, traces } from '../import-support.ts';
import { textSource } from '../text-source.ts';

let database: TestDatabase;

beforeEach(async () => {
  database = await createTestDatabase();
});
afterEach(() => database.drop());

const importLines = (lines: readonly string[], options: object = {}) =>
  importText(textSource(`${lines.join('\n')}\n`, { name: 'flows.json' }), {
    databaseUrl: database.url,
    format: 'goflow2',
    ...options,
  });

const START = 1_700_000_280;

/** From 30 seconds into a minute, for 90 seconds, sampled 1 in 100; with all digits of numbers. */
const flow = ({
  from = '10.0.0.1',
  to = '198.51.100.7',
  sourcePort = 51_000,
  port = 443,
  rate = 100,
} = {}): string =>
  `{"type":"IPFIX","time_received_ns":${START + 200}000000000,"sampling_rate":${rate},` +
  `"time_flow_start_ns":${START + 30}000000000,"time_flow_end_ns":${START + 120}000000000,` +
  `"bytes":1001,"packets":7,"src_addr":"${from}","dst_addr":"${to}","etype":"IPv4",` +
  `"proto":"TCP","src_port":${sourcePort},"dst_port":${port}}`;

const arp = '{"time_received_ns":1700000280000000000,"src_addr":"","dst_addr":"","etype":"ARP"}';

describe('an import of goflow2', () => {
  it('multiplies by the sampling rate before it spreads a flow, and counts it once', async () => {
    expect(await importLines([flow(), arp])).toMatchObject({
      format: 'goflow2',
      lines: 2,
      records: 1,
      badLines: { count: 0 },
    });
    // ⌊100100 · 30 ÷ 90⌋ and the rest.
    expect(await readingsOf(database.url, { group: 'Apps', start: START })).toEqual([
      '01.BB+0 1 33366',
      '01.BB+0 2 0',
      '01.BB+0 3 33366',
      '01.BB+0 4 1',
      '01.BB+60 1 66734',
      '01.BB+60 2 0',
      '01.BB+60 3 66734',
    ]);
  });

  const back = flow({
    from: '198.51.100.7',
    to: '10.0.0.1',
    sourcePort: 443,
    port: 51_000,
    rate: 0,
  });

  it('counts each direction as a separate flow, and both under one app', async () => {
    await importLines([flow({ rate: 0 }), back]);
    expect(await sums(database.url)).toMatchObject({
      'Aggregates TOTALBW 1': '2002',
      'Aggregates DIR_INTOHOME 1': '1001',
      'Aggregates DIR_OUTOFHOME 1': '1001',
      'Hosts 0A.00.00.01 2': '1001',
      'Hosts 0A.00.00.01 3': '1001',
      'Hosts 0A.00.00.01 5': '2',
      'Apps 01.BB 1': '2002',
      'Apps 01.BB 2': '1001',
      'Apps 01.BB 3': '1001',
      'Apps 01.BB 4': '2',
      'Hosts × Apps 0A.00.00.01\\01.BB 1': '2002',
      'Hosts × Apps C6.33.64.07\\01.BB 1': '2002',
    });
  });

  it('counts each direction under its destination port if that is configured', async () => {
    await importLines([flow({ rate: 0 }), back], { servicePort: 'destination' });
    expect(await sums(database.url)).toMatchObject({
      'Apps 01.BB 1': '1001',
      'Apps C7.38 1': '1001',
    });
  });

  it('reads a compressed file, refuses it the second time, and names bad lines', async () => {
    const content = `${flow()}\n{"bytes":1}\n`;
    const packed = textSource(gzipSync(content), { name: 'flows.json.gz' });
    const options = { databaseUrl: database.url, format: 'goflow2' } as const;
    await expect(importText(packed, options)).rejects.toThrow(
      'flows.json.gz, line 2: src_addr is missing',
    );
    const report = await importText(packed, { ...options, skipBadLines: true });
    expect(report.badLines.named).toEqual([
      { line: 2, reason: expect.stringMatching(/^src_addr/) },
    ]);
    const before = await traces(database.url);
    await expect(importText(packed, { ...options, skipBadLines: true })).rejects.toThrow(
      /its content is in context lab already/,
    );
    expect(await traces(database.url)).toEqual(before);
  });
});
