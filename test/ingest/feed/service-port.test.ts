import { readdir } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { gzipSync } from 'node:zlib';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { ImportFileOptions } from '../../../ingest/files/import-file.ts';
import { createTestDatabase, type TestDatabase } from '../../support/database/database.ts';
import { startFeed } from '../../support/lab/feed-lab.ts';
import { importText, NOTHING, sums, traces } from '../import-support.ts';
import { textSource } from '../text-source.ts';

let database: TestDatabase;
let databaseUrl: string;

beforeEach(async () => {
  database = await createTestDatabase();
  databaseUrl = database.url;
});
afterEach(() => database.drop());

const HEADER = 'ts,td,sa,da,sp,dp,pr,ipkt,ibyt,opkt,obyt';
const SUMMARY = ['Summary', 'flows,bytes,packets,avg_bps,avg_pps,avg_bpp', '2,1000,3,1,2,3'];

type Row = { readonly at?: number; readonly sp?: number; readonly dp?: number; back?: string };

/** A row of nfdump: by default, 100 bytes from a server's port to a client's. */
const row = ({ at = 0, sp = 443, dp = 51_000, back = '0,0' }: Row = {}): string =>
  `${1_700_000_040 + at}.000,0.000,198.51.100.7,10.0.0.1,${sp},${dp},TCP,1,100,${back}`;

/** The other direction, of 10 bytes. */
const REQUEST = '1700000040.000,0.000,10.0.0.1,198.51.100.7,51000,443,TCP,1,10,0,0';

const text = (...lines: readonly string[]): string => `${lines.join('\n')}\n`;

const ONE_WAY = text(HEADER, row(), REQUEST, ...SUMMARY);
/** Only the last row shows that the file was made with -B. */
const TWO_WAYS = text(HEADER, row(), REQUEST, row({ back: '2,7' }), ...SUMMARY);

/** Total bytes by app. */
async function apps(context = 'lab'): Promise<Record<string, string>> {
  const all = Object.entries(await sums(databaseUrl, context));
  const found = all.flatMap(([name, sum]) => {
    const app = /^Apps (\S+) 1$/.exec(name)?.[1];
    return app === undefined ? [] : [[app, sum] as const];
  });
  return Object.fromEntries(found);
}

const importCsv = (
  content: string | Buffer,
  { pipe = false, ...options }: Partial<ImportFileOptions> & { pipe?: boolean } = {},
) => {
  const source = textSource(content, { name: 'flows.csv' });
  return importText(
    { ...source, isRepeatable: !pipe },
    { databaseUrl, format: 'nfdump', ...options },
  );
};

describe.each([
  ['a file of nfdump', false],
  ['a pipe from nfdump', true],
])('%s', (_, pipe) => {
  it('with one-way flows counts both directions of a conversation under one app', async () => {
    expect(await importCsv(ONE_WAY, { pipe })).toMatchObject({ records: 2, twoWay: false });
    expect(await apps()).toEqual({ '01.BB': '110' });
  });

  it('is recognised as made with -B by any row, even the last one', async () => {
    expect(await importCsv(TWO_WAYS, { pipe })).toMatchObject({ records: 3, twoWay: true });
    expect(await apps()).toEqual({ 'C7.38': '207', '01.BB': '10' });
  });

  it('may be compressed', async () => {
    await importCsv(gzipSync(TWO_WAYS), { pipe });
    expect(await apps()).toEqual({ 'C7.38': '207', '01.BB': '10' });
  });

  it('counts under the destination port if that is configured, without looking ahead', async () => {
    const report = await importCsv(ONE_WAY, { pipe, servicePort: 'destination' });
    expect(report.twoWay).toBeUndefined();
    expect(await apps()).toEqual({ 'C7.38': '100', '01.BB': '10' });
  });

  it('leaves nothing if a line is bad, even after a row that shows -B', async () => {
    const damaged = text(HEADER, row(), row({ back: '2,7' }), 'damaged');
    const before = await readdir(tmpdir());
    await expect(importCsv(damaged, { pipe })).rejects.toThrow('flows.csv, line 4: it must have');
    expect(await traces(databaseUrl)).toEqual(NOTHING);
    const kept = (await readdir(tmpdir())).filter((name) => /^countergraph-import-/.test(name));
    expect(kept.filter((name) => !before.includes(name))).toEqual([]);
  });

  it('is refused the second time, as a file or a pipe', async () => {
    await importCsv(ONE_WAY);
    await expect(importCsv(ONE_WAY, { pipe })).rejects.toThrow('its content is in context lab');
  });
});

describe('a pipe that must be read to its end first', () => {
  it('is refused with the reason if it cannot be stored', async () => {
    const before = process.env['TMPDIR'];
    process.env['TMPDIR'] = '/nowhere';
    try {
      await expect(importCsv(ONE_WAY, { pipe: true })).rejects.toThrow(
        /^flows\.csv: it must be scanned .* \/nowhere .* ENOENT.* --service-port destination$/,
      );
    } finally {
      if (before === undefined) delete process.env['TMPDIR'];
      else process.env['TMPDIR'] = before;
    }
  });
});

describe('a feed of nfdump', () => {
  const feedOf = (options: object = {}) => startFeed({ databaseUrl, format: 'nfdump', ...options });

  it.each([
    ['one direction', ONE_WAY],
    ['both directions', TWO_WAYS],
  ])('with flows of %s counts as the file does', async (_, content) => {
    await importCsv(content, { context: 'file' });
    const feed = feedOf();
    feed.write(content);
    feed.end();
    await feed.done;
    expect(await apps()).toEqual(await apps('file'));
  });

  it('holds the flows of an output until it ends or a row shows both directions', async () => {
    const feed = feedOf();
    // By the time of the stream, the first bucket is over with the second row.
    feed.write(text(HEADER, row(), row({ at: 600 })));
    await feed.until(({ flows }) => flows === 2);
    expect(feed.status()).toMatchObject({ commits: 0, uncommitted: 2 });
    feed.write(text(row({ at: 600, back: '2,7' })));
    await feed.until(({ commits }) => commits === 1);
    expect(await apps()).toEqual({ 'C7.38': '100' });
    feed.end();
    await feed.done;
    expect(await apps()).toEqual({ 'C7.38': '307' });
  });

  it('decides separately for each output', async () => {
    const feed = feedOf();
    feed.write(TWO_WAYS, text(HEADER, row({ at: 600 }), ...SUMMARY));
    await feed.until(({ commits }) => commits === 1);
    feed.write(text(HEADER, row({ at: 600 })), text(HEADER, row({ at: 600, back: '2,7' })));
    feed.end();
    await feed.done;
    expect(await apps()).toEqual({ 'C7.38': '314', '01.BB': '210' });
  });

  it('does not hold an output forever, nor more of it than fits', async () => {
    const held = feedOf({ limits: { holdMs: 20 } });
    held.write(text(HEADER, row()));
    await held.until(({ commits }) => commits === 1);
    // A row that shows -B later counts from then on.
    held.write(text(row({ at: 1 }), row({ at: 2, back: '2,7' })));
    held.end();
    await held.done;
    expect(await apps()).toEqual({ '01.BB': '200', 'C7.38': '107' });
    const full = feedOf({ context: 'full', limits: { pendingFlows: 4 } });
    full.write(text(HEADER, row(), row()));
    await full.until(({ commits }) => commits === 1);
    full.stop();
    await full.done;
    expect(await apps('full')).toEqual({ '01.BB': '200' });
  });

  it('commits the flows that it holds when it is told to stop', async () => {
    const feed = feedOf();
    feed.write(text(HEADER, row()));
    await feed.until(({ flows }) => flows === 1);
    feed.stop();
    expect(await feed.done).toMatchObject({ committedFlows: 1 });
    expect(await apps()).toEqual({ '01.BB': '100' });
  });

  it('holds nothing if the rule is the destination port', async () => {
    const feed = feedOf({ servicePort: 'destination' });
    feed.write(text(HEADER, row(), row({ at: 600 })));
    await feed.until(({ commits }) => commits === 1);
    feed.end();
    await feed.done;
    expect(await apps()).toEqual({ 'C7.38': '200' });
  });
});
