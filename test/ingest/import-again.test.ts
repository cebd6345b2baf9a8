import { Readable } from 'node:stream';
import { gzipSync } from 'node:zlib';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { CONTEXT_IMPORT_LOCK } from '../../db/advisory-locks.ts';
import { createTestDatabase, type TestDatabase, withClient } from '../support/database/database.ts';
import { conn, connLog, importText, NOW, sums, traces } from './import-support.ts';
import { textSource } from './text-source.ts';

let database: TestDatabase;
let databaseUrl: string;

beforeEach(async () => {
  database = await createTestDatabase();
  databaseUrl = database.url;
});
afterEach(() => database.drop());

function deferred(): { promise: Promise<void>; resolve: () => void } {
  let resolve = () => {};
  const promise = new Promise<void>((settle) => {
    resolve = settle;
  });
  return { promise, resolve };
}

describe('content that was imported before', () => {
  const log = connLog(conn(NOW));

  it.each([
    ['the same file', textSource(log)],
    ['a compressed copy', textSource(gzipSync(log), { name: 'copy.gz' })],
    ['a copy on a pipe', textSource(log, { name: 'pipe', isRepeatable: false })],
  ])('is refused: %s', async (_, source) => {
    await importText(log, { databaseUrl });
    const before = await traces(databaseUrl);
    await expect(importText(source, { databaseUrl })).rejects.toThrow(
      /^.*: its content is in context lab already, imported at \S+Z from test\.log: give --again/,
    );
    expect(await traces(databaseUrl)).toEqual(before);
    expect((await sums(databaseUrl))['Aggregates TOTALBW 1']).toBe('1100');
  });

  it('is counted again on request', async () => {
    await importText(log, { databaseUrl });
    const again = await importText(log, { databaseUrl, again: true });
    expect(again).toMatchObject({ readings: 12, keys: 12, newSlices: 0, slices: 1 });
    expect((await sums(databaseUrl))['Aggregates TOTALBW 1']).toBe('2200');
  });

  it('is not refused in another context, nor after a failed import', async () => {
    await importText(log, { databaseUrl });
    await importText(log, { databaseUrl, context: 'other' });
    const bad = connLog(conn(NOW + 1), 'nonsense');
    await expect(importText(bad, { databaseUrl })).rejects.toThrow('line 3');
    await expect(importText(bad, { databaseUrl })).rejects.toThrow('line 3');
    await importText(bad, { databaseUrl, skipBadLines: true });
  });
});

describe('content from which nothing was imported', () => {
  it.each([
    ['an empty file', 'zeek', ''],
    ['a header without flows', 'zeek', connLog()],
    ['what nfdump writes when no flow matches', 'nfdump', 'No matching flows\n'],
  ] as const)('is accepted however often it is imported: %s', async (_, format, content) => {
    for (const isRepeatable of [true, true, false]) {
      const report = await importText(textSource(content, { isRepeatable }), {
        databaseUrl,
        format,
        allowEmpty: format === 'nfdump',
      });
      expect(report).toMatchObject({ records: 0, readings: 0, badLines: { count: 0 } });
    }
    expect(await traces(databaseUrl)).toMatchObject({ imports: 0, segments: 0 });
  });

  it('is not refused once its lines can be imported', async () => {
    const log = connLog(conn(NOW));
    const early = { databaseUrl, skipBadLines: true, now: () => NOW - 200_000 };
    await expect(importText(log, early)).rejects.toThrow('test.log: no line could be read');
    expect(await importText(log, { databaseUrl })).toMatchObject({ records: 1 });
  });
});

describe('a second import into a context', () => {
  it.each([
    ['that exists', true],
    ['that the first is about to create', false],
  ])('%s waits for the first and says so', async (_, isThere) => {
    if (isThere) await importText(connLog(conn(NOW - 600)), { databaseUrl });
    const gate = deferred();
    const reading = deferred();
    const slow = {
      ...textSource('', { isRepeatable: false }),
      open: () =>
        Readable.from(
          (async function* () {
            yield Buffer.from(connLog(conn(NOW)));
            reading.resolve();
            await gate.promise;
          })(),
        ),
    };
    const waiting = deferred();
    const first = importText(slow, { databaseUrl, batchRows: 1 });
    await reading.promise;
    const second = importText(connLog(conn(NOW + 1)), { databaseUrl, onWaiting: waiting.resolve });
    await waiting.promise;
    // The first has already written, but none of it is visible yet.
    const seen = await sums(databaseUrl);
    expect(seen['Aggregates TOTALBW 1']).toBe(isThere ? '1100' : undefined);
    gate.resolve();
    await Promise.all([first, second]);
    expect((await sums(databaseUrl))['Aggregates TOTALBW 1']).toBe(isThere ? '3300' : '2200');
    expect(await traces(databaseUrl)).toMatchObject({ contexts: 1, counter_groups: 8, slices: 1 });
  });

  it('stops waiting when it is aborted', async () => {
    await importText(connLog(conn(NOW)), { databaseUrl });
    await withClient(databaseUrl, async (client) => {
      await client.query('select pg_advisory_lock($1, context_id) from contexts', [
        CONTEXT_IMPORT_LOCK,
      ]);
      const controller = new AbortController();
      const reason = new Error('told to end');
      const importing = importText(connLog(conn(NOW + 1)), {
        databaseUrl,
        signal: controller.signal,
        onWaiting: () => controller.abort(reason),
      });
      await expect(importing).rejects.toBe(reason);
    });
  });
});
