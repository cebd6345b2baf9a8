import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { fileSource } from '../../ingest/files/import-source.ts';
import { importText, NOTHING, traces } from '../ingest/import-support.ts';
import { textSource } from '../ingest/text-source.ts';
import { createTestDatabase, type TestDatabase } from '../support/database.ts';
import { startFeed } from '../support/feed-lab.ts';
import { type FlowFiles, hasNfdump, makeFlowFiles } from '../support/nfdump-files.ts';
import { pcapFile, udpFrame } from '../support/packet-capture.ts';

const hasPmacct = existsSync('/usr/sbin/pmacctd');
if (!hasNfdump) console.warn('skipped: nfdump is not installed: apt-get install nfdump');
if (!hasPmacct) console.warn('skipped: pmacct is not installed: apt-get install pmacct');

const PACKETS = [
  {
    atMs: 1_700_000_309_500,
    frame: udpFrame({ from: '10.0.0.2', to: '8.8.8.8', sourcePort: 5_000, port: 53 }, 30),
  },
];

let database: TestDatabase;

beforeEach(async () => {
  database = await createTestDatabase();
});
afterEach(() => database.drop());

const FORMATS = ['nfdump', 'goflow2', 'zeek'] as const;

describe.skipIf(!hasNfdump)('what nfdump stores and prints', () => {
  let files: FlowFiles;

  beforeAll(async () => {
    files = await makeFlowFiles(PACKETS);
  });
  afterAll(() => files.remove());

  it.each(FORMATS)('is refused as %s where it is no CSV, and leaves nothing', async (format) => {
    const [path = ''] = await files.paths();
    const options = { databaseUrl: database.url, format, skipBadLines: true };
    const stored = importText(await fileSource(path), options);
    await expect(stored).rejects.toThrow(`${path}: it is a file of nfcapd as it is stored: import`);
    for (const filter of ['any', 'port 9']) {
      const printed = textSource(await files.printed('json', filter), { name: 'flows.json' });
      await expect(importText(printed, options)).rejects.toThrow(
        'flows.json: it is JSON of nfdump (-o json): import',
      );
    }
    expect(await traces(database.url)).toEqual(NOTHING);
  });

  it.each([
    ['a filter without a match', ['port 9'], /^flows\.csv: it is empty: nfdump found no flows: .*/],
    ['no output at all', null, /^flows\.csv: it is empty: nfdump wrote nothing, not even a header/],
  ])('is refused where it is empty: %s', async (_, filter, reason) => {
    const csv = filter === null ? '' : await files.csv('UTC', ...filter);
    const source = textSource(csv, { name: 'flows.csv' });
    const options = { databaseUrl: database.url, format: 'nfdump' } as const;
    await expect(importText(source, options)).rejects.toThrow(reason);
    await expect(importText(source, options)).rejects.toThrow('--allow-empty takes');
    expect(await traces(database.url)).toEqual(NOTHING);
    const allowed = { ...options, allowEmpty: true };
    expect(await importText(source, allowed)).toMatchObject({ records: 0, readings: 0 });
    // There is nothing in it that could count twice.
    expect(await importText(source, allowed)).toMatchObject({ records: 0 });
  });

  it('ends a feed with a failure where it is empty, unless that is allowed', async () => {
    const csv = await files.csv('UTC', 'port 9');
    for (const allowEmpty of [false, true]) {
      const feed = startFeed({ databaseUrl: database.url, format: 'nfdump', allowEmpty });
      feed.write(csv);
      feed.end();
      if (allowEmpty) expect(await feed.done).toMatchObject({ flows: 0, commits: 0 });
      else await expect(feed.done).rejects.toThrow('the feed: it is empty: nfdump found no flows');
    }
  });

  it('may be empty where a feed is told to end', async () => {
    const feed = startFeed({ databaseUrl: database.url, format: 'nfdump' });
    feed.stop();
    expect(await feed.done).toMatchObject({ flows: 0 });
  });
});

describe.skipIf(!hasPmacct)('what pmacct prints', () => {
  let lines: string;

  beforeAll(async () => {
    const folder = await mkdtemp(join(tmpdir(), 'countergraph-pmacct-'));
    const [capture, output, settings] = ['capture.pcap', 'flows.json', 'pmacctd.conf'].map((name) =>
      join(folder, name),
    );
    await writeFile(capture ?? '', pcapFile(PACKETS));
    const text = [
      `pcap_savefile: ${capture}`,
      'plugins: print[flows]',
      'aggregate[flows]: src_host, dst_host, src_port, dst_port, proto, timestamp_start',
      'print_output[flows]: json',
      `print_output_file[flows]: ${output}`,
      'print_refresh_time[flows]: 1',
    ];
    await writeFile(settings ?? '', `${text.join('\n')}\n`);
    // It ends with the capture, after it has printed what was in it.
    await promisify(execFile)('/usr/sbin/pmacctd', ['-f', settings ?? '']);
    lines = await readFile(output ?? '', 'utf8');
    await rm(folder, { recursive: true });
  }, 30_000);

  it.each(FORMATS)('is refused as %s, as a file and as a feed', async (format) => {
    expect(lines).toContain('"ip_src": "10.0.0.2"');
    const source = textSource(lines, { name: 'flows.json' });
    await expect(importText(source, { databaseUrl: database.url, format })).rejects.toThrow(
      'flows.json: these are lines of pmacct, which cannot be imported',
    );
    const feed = startFeed({ databaseUrl: database.url, format, skipBadLines: true });
    feed.write(lines);
    await expect(feed.done).rejects.toThrow('the feed: these are lines of pmacct');
    expect(await traces(database.url)).toEqual(NOTHING);
  });
});
