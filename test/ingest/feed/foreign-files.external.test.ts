import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { fileSource } from '../../../ingest/files/import-source.ts';
import { createTestDatabase, type TestDatabase } from '../../support/database/database.ts';
import { udpFrame } from '../../support/files/packet-capture.ts';
import { startFeed } from '../../support/lab/feed-lab.ts';
import { type FlowFiles, makeFlowFiles } from '../../support/programs/nfdump-files.ts';
import { importText, NOTHING, traces } from '../import-support.ts';
import { textSource } from '../text-source.ts';

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

describe('what nfdump stores and prints', () => {
  let files: FlowFiles;

  beforeAll(async () => {
    files = await makeFlowFiles(PACKETS);
  });
  afterAll(() => files.remove());

  it.each(FORMATS)('is refused as %s if it is not CSV, and leaves nothing', async (format) => {
    const [path = ''] = await files.paths();
    const options = { databaseUrl: database.url, format, skipBadLines: true };
    const stored = importText(await fileSource(path), options);
    await expect(stored).rejects.toThrow(`${path}: it is a binary file of nfcapd: import`);
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
  ])('is refused if it is empty: %s', async (_, filter, reason) => {
    const csv = filter === null ? '' : await files.csv('UTC', ...filter);
    const source = textSource(csv, { name: 'flows.csv' });
    const options = { databaseUrl: database.url, format: 'nfdump' } as const;
    await expect(importText(source, options)).rejects.toThrow(reason);
    await expect(importText(source, options)).rejects.toThrow('--allow-empty accepts');
    expect(await traces(database.url)).toEqual(NOTHING);
    const allowed = { ...options, allowEmpty: true };
    expect(await importText(source, allowed)).toMatchObject({ records: 0, readings: 0 });
    // An empty file has nothing that could be counted twice.
    expect(await importText(source, allowed)).toMatchObject({ records: 0 });
  });

  it('fails a feed if it is empty, unless that is allowed', async () => {
    const csv = await files.csv('UTC', 'port 9');
    for (const allowEmpty of [false, true]) {
      const feed = startFeed({ databaseUrl: database.url, format: 'nfdump', allowEmpty });
      feed.write(csv);
      feed.end();
      if (allowEmpty) expect(await feed.done).toMatchObject({ flows: 0, commits: 0 });
      else await expect(feed.done).rejects.toThrow('the feed: it is empty: nfdump found no flows');
    }
  });
});
